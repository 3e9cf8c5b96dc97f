package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Einsum, straight from its definition: for each element of the result, the sum over all other letters. */
record EinsumKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Shape[] shapes = new Shape[context.inputCount()];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = context.inputShape(i);
        }
        EinsumTerms terms = EinsumTerms.parse(node.attributes().text("equation"), shapes);
        ElementType type = context.inputType(0);
        if (terms.output().elements() != context.outputShape(0).elements()) {
            throw EngineException.invalidGraph(
                    node.describe() + ": the equation gives " + terms.output() + ", not " + context.outputShape(0));
        }
        RangeTask task = type.isFloating() ? doubles(terms, type) : longs(terms, type);
        long count = terms.output().elements();
        long grain = Math.max(1, 20_000 / Math.max(1, terms.summed()));
        return launch -> launch.parallelFor(count, grain, task);
    }

    private static RangeTask doubles(EinsumTerms terms, ElementType type) {
        return (launch, from, to, scratch) -> {
            long[] kept = scratch.longs(0, terms.inputs());
            for (long i = from; i < to; i++) {
                terms.keptOffsets(i, kept);
                double sum = 0;
                for (long s = 0; s < terms.summed(); s++) {
                    double product = 1;
                    for (int input = 0; input < terms.inputs(); input++) {
                        product *= Elements.getDouble(
                                type, launch.input(input), kept[input] + terms.summedOffset(input, s));
                    }
                    sum += product;
                }
                Elements.setDouble(type, launch.output(0), i, sum);
            }
        };
    }

    private static RangeTask longs(EinsumTerms terms, ElementType type) {
        return (launch, from, to, scratch) -> {
            long[] kept = scratch.longs(0, terms.inputs());
            for (long i = from; i < to; i++) {
                terms.keptOffsets(i, kept);
                Elements.setLong(type, launch.output(0), i, sum(launch, terms, type, kept));
            }
        };
    }

    private static long sum(LaunchContext launch, EinsumTerms terms, ElementType type, long[] kept) {
        long sum = 0;
        for (long s = 0; s < terms.summed(); s++) {
            long product = 1;
            for (int input = 0; input < terms.inputs(); input++) {
                product *= Elements.getLong(type, launch.input(input), kept[input] + terms.summedOffset(input, s));
            }
            sum += product;
        }
        return sum;
    }
}
