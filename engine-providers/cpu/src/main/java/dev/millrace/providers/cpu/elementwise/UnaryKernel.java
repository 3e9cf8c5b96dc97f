package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Applies a function to each element of input 0. The result may be of another type; it is converted on writing. */
public record UnaryKernel(Unary function) implements ShapedKernel {
    static final int BLOCK = 1024;

    @Override
    public Launch bind(BindContext context) {
        ElementType from = context.inputType(0);
        ElementType to = context.outputType(0);
        long count = context.outputShape(0).elements();
        if (from == to) {
            context.mayReuse(0, 0);
        }
        RangeTask task = switch (Domain.of(from)) {
            case FLOAT -> floats(function.requireFloats(), from, to);
            case DOUBLE -> doubles(OwnLoops.of(function.requireDoubles(), count), from, to);
            case LONG -> longs(OwnLoops.of(function.requireLongs(from), count), from, to);
        };
        long grain = grain(to);
        return launch -> launch.parallelFor(count, grain, task);
    }

    /** Packed elements share bytes, so that two threads must not write neighbours. */
    static long grain(ElementType type) {
        return type.isPacked() ? Long.MAX_VALUE : 4096;
    }

    private static RangeTask floats(Unary.Floats f, ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            float[] block = scratch.floats(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                f.apply(block, block, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }

    private static RangeTask doubles(Unary.Doubles f, ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            double[] block = scratch.doubles(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                f.apply(block, block, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }

    private static RangeTask longs(Unary.Longs f, ElementType from, ElementType to) {
        return (launch, first, end, scratch) -> {
            long[] block = scratch.longs(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(from, launch.input(0), at, block, 0, count);
                f.apply(block, block, count);
                Elements.write(to, launch.output(0), at, block, 0, count);
            }
        };
    }
}
