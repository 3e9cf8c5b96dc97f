package dev.millrace.providers.cpu.elementwise;

import static dev.millrace.providers.cpu.elementwise.UnaryKernel.BLOCK;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Clip: bounds are attributes below opset 11 and inputs since. Where they cross, the upper one holds. */
record ClipKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        context.mayReuse(0, 0);
        boolean inputs = node.opset() >= 11;
        boolean low = inputs && context.hasInput(1);
        boolean high = inputs && context.hasInput(2);
        RangeTask task = switch (Domain.of(type)) {
            case FLOAT -> floats(type, low, high);
            case DOUBLE -> doubles(type, low, high);
            case LONG -> longs(type, low, high);
        };
        long count = context.outputShape(0).elements();
        long grain = UnaryKernel.grain(type);
        return launch -> launch.parallelFor(count, grain, task);
    }

    private double bound(LaunchContext launch, ElementType type, boolean present, int input) {
        if (present) {
            return Elements.getDouble(type, launch.input(input), 0);
        }
        return input == 1
                ? node.attributes().real("min", Float.NEGATIVE_INFINITY)
                : node.attributes().real("max", Float.POSITIVE_INFINITY);
    }

    private RangeTask floats(ElementType type, boolean hasLow, boolean hasHigh) {
        return (launch, first, end, scratch) -> {
            float low = (float) bound(launch, type, hasLow, 1);
            float high = (float) bound(launch, type, hasHigh, 2);
            float[] block = scratch.floats(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(type, launch.input(0), at, block, 0, count);
                for (int i = 0; i < count; i++) {
                    block[i] = Math.min(Math.max(block[i], low), high);
                }
                Elements.write(type, launch.output(0), at, block, 0, count);
            }
        };
    }

    private RangeTask doubles(ElementType type, boolean hasLow, boolean hasHigh) {
        return (launch, first, end, scratch) -> {
            double low = bound(launch, type, hasLow, 1);
            double high = bound(launch, type, hasHigh, 2);
            double[] block = scratch.doubles(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(type, launch.input(0), at, block, 0, count);
                for (int i = 0; i < count; i++) {
                    block[i] = Math.min(Math.max(block[i], low), high);
                }
                Elements.write(type, launch.output(0), at, block, 0, count);
            }
        };
    }

    private RangeTask longs(ElementType type, boolean hasLow, boolean hasHigh) {
        long flip = type == ElementType.UINT64 ? Long.MIN_VALUE : 0;
        return (launch, first, end, scratch) -> {
            long low = hasLow ? Elements.getLong(type, launch.input(1), 0) ^ flip : Long.MIN_VALUE;
            long high = hasHigh ? Elements.getLong(type, launch.input(2), 0) ^ flip : Long.MAX_VALUE;
            long[] block = scratch.longs(0, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                Elements.read(type, launch.input(0), at, block, 0, count);
                for (int i = 0; i < count; i++) {
                    block[i] = Math.min(Math.max(block[i] ^ flip, low), high) ^ flip;
                }
                Elements.write(type, launch.output(0), at, block, 0, count);
            }
        };
    }
}
