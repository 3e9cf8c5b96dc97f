package dev.millrace.providers.cpu.elementwise;

import static dev.millrace.providers.cpu.elementwise.UnaryKernel.BLOCK;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** The operator Where: input 1 where input 0 is true, input 2 elsewhere. */
final class WhereKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.outputType(0);
        Shape shape = context.outputShape(0);
        Broadcast[] inputs = new Broadcast[3];
        for (int i = 0; i < 3; i++) {
            inputs[i] = Broadcast.of(context.inputType(i), context.inputShape(i), shape);
        }
        for (int i = 1; i < 3; i++) {
            if (inputs[i].isWhole()) {
                context.mayReuse(0, i);
            }
        }
        long count = shape.elements();
        if (type == ElementType.STRING) {
            return launch -> {
                String[] yes = launch.inputStrings(1);
                String[] no = launch.inputStrings(2);
                String[] to = launch.outputStrings(0);
                for (int i = 0; i < count; i++) {
                    boolean holds = Elements.getLong(ElementType.BOOL, launch.input(0), inputs[0].offset(i)) != 0;
                    to[i] = holds ? yes[(int) inputs[1].offset(i)] : no[(int) inputs[2].offset(i)];
                }
            };
        }
        RangeTask task = switch (Domain.of(type)) {
            case FLOAT -> floats(type, inputs);
            case DOUBLE -> doubles(type, inputs);
            case LONG -> longs(type, inputs);
        };
        long grain = UnaryKernel.grain(type);
        return launch -> launch.parallelFor(count, grain, task);
    }

    private static RangeTask floats(ElementType type, Broadcast[] inputs) {
        return (launch, first, end, scratch) -> {
            float[] holds = scratch.floats(0, BLOCK);
            float[] yes = scratch.floats(1, BLOCK);
            float[] no = scratch.floats(2, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, holds, count);
                inputs[1].read(launch.input(1), at, yes, count);
                inputs[2].read(launch.input(2), at, no, count);
                for (int i = 0; i < count; i++) {
                    yes[i] = holds[i] != 0 ? yes[i] : no[i];
                }
                Elements.write(type, launch.output(0), at, yes, 0, count);
            }
        };
    }

    private static RangeTask doubles(ElementType type, Broadcast[] inputs) {
        return (launch, first, end, scratch) -> {
            double[] holds = scratch.doubles(0, BLOCK);
            double[] yes = scratch.doubles(1, BLOCK);
            double[] no = scratch.doubles(2, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, holds, count);
                inputs[1].read(launch.input(1), at, yes, count);
                inputs[2].read(launch.input(2), at, no, count);
                for (int i = 0; i < count; i++) {
                    yes[i] = holds[i] != 0 ? yes[i] : no[i];
                }
                Elements.write(type, launch.output(0), at, yes, 0, count);
            }
        };
    }

    private static RangeTask longs(ElementType type, Broadcast[] inputs) {
        return (launch, first, end, scratch) -> {
            long[] holds = scratch.longs(0, BLOCK);
            long[] yes = scratch.longs(1, BLOCK);
            long[] no = scratch.longs(2, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, holds, count);
                inputs[1].read(launch.input(1), at, yes, count);
                inputs[2].read(launch.input(2), at, no, count);
                for (int i = 0; i < count; i++) {
                    yes[i] = holds[i] != 0 ? yes[i] : no[i];
                }
                Elements.write(type, launch.output(0), at, yes, 0, count);
            }
        };
    }
}
