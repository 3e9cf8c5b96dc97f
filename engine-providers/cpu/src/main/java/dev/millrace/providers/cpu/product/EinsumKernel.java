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
import dev.millrace.scheduler.kernel.Scratch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;

/** Einsum in steps, each straight from the definition: for each element that is kept, the sum over all other letters. */
record EinsumKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Shape[] shapes = new Shape[context.inputCount()];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = context.inputShape(i);
        }
        EinsumEquation equation = EinsumEquation.parse(node.attributes().text("equation"), shapes);
        EinsumPlan plan = EinsumPlan.of(equation, shapes, context.inputType(0));
        Shape result = plan.steps().getLast().terms().output();
        if (result.elements() != context.outputShape(0).elements()) {
            throw EngineException.invalidGraph(
                    node.describe() + ": the equation gives " + result + ", not " + context.outputShape(0));
        }
        context.workspace(plan.workspace());
        Loops[] loops = plan.steps().stream().map(Loops::of).toArray(Loops[]::new);
        return launch -> {
            for (Loops step : loops) {
                step.run(launch);
            }
        };
    }

    private record Loops(EinsumTerms terms, EinsumPlan.Place[] from, EinsumPlan.Place to, long count, long summed)
            implements RangeTask {
        static Loops of(EinsumPlan.Step step) {
            EinsumTerms terms = step.terms();
            return new Loops(
                    terms,
                    step.from().toArray(new EinsumPlan.Place[0]),
                    step.to(),
                    terms.output().elements(),
                    terms.summed());
        }

        void run(LaunchContext launch) {
            launch.parallelFor(count, Math.max(1, 20_000 / Math.max(1, summed)), this);
        }

        @Override
        public void run(LaunchContext launch, long first, long end, Scratch scratch) {
            ElementType type = to.type();
            MemorySegment target = memory(launch, to);
            long[] kept = scratch.longs(0, from.length);
            for (long i = first; i < end; i++) {
                terms.keptOffsets(i, kept);
                if (type.isFloating()) {
                    Elements.setDouble(type, target, to.first() + i, sum(launch, kept));
                } else {
                    Elements.setLong(type, target, to.first() + i, sumOfLongs(launch, kept));
                }
            }
        }

        private static MemorySegment memory(LaunchContext launch, EinsumPlan.Place place) {
            return switch (place.tensor()) {
                case EinsumPlan.Place.WORKSPACE -> launch.workspace();
                case EinsumPlan.Place.OUTPUT -> launch.output(0);
                default -> launch.input(place.tensor());
            };
        }

        private double sum(LaunchContext launch, long[] kept) {
            double sum = 0;
            for (long s = 0; s < summed; s++) {
                launch.checkCancelled(s);
                double product = 1;
                for (int i = 0; i < from.length; i++) {
                    EinsumPlan.Place place = from[i];
                    product *= Elements.getDouble(
                            place.type(), memory(launch, place), place.first() + kept[i] + terms.summedOffset(i, s));
                }
                sum += product;
            }
            return sum;
        }

        private long sumOfLongs(LaunchContext launch, long[] kept) {
            long sum = 0;
            for (long s = 0; s < summed; s++) {
                launch.checkCancelled(s);
                long product = 1;
                for (int i = 0; i < from.length; i++) {
                    EinsumPlan.Place place = from[i];
                    product *= Elements.getLong(
                            place.type(), memory(launch, place), place.first() + kept[i] + terms.summedOffset(i, s));
                }
                sum += product;
            }
            return sum;
        }
    }
}
