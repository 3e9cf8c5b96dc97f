package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** QuantizeLinear and DequantizeLinear. */
record QuantizeKernel(Node node, boolean forward) implements ShapedKernel {
    /** So many numbers are widened at a time. */
    private static final int PART = 512;

    @Override
    public Launch bind(BindContext context) {
        QuantisationAxes granularity = QuantisationAxes.of(
                context.inputShape(0),
                context.inputShape(1),
                node.opset() < 13 ? 0 : node.attributes().integer("axis", 1),
                node.attributes().integer("block_size", 0));
        ElementType type = context.inputType(0);
        ElementType scaleType = context.inputType(1);
        ElementType to = context.outputType(0);
        ElementType zeroType = context.hasInput(2) ? context.inputType(2) : null;
        RangeTask task = forward
                ? narrowing(granularity, type, scaleType, zeroType, to)
                : widening(granularity, type, scaleType, zeroType, to);
        long count = context.inputShape(0).elements();
        long grain = to.isPacked() ? Long.MAX_VALUE : 8192;
        return launch -> launch.parallelFor(count, grain, task);
    }

    private RangeTask narrowing(
            QuantisationAxes granularity,
            ElementType type,
            ElementType scaleType,
            @Nullable ElementType zeroType,
            ElementType to) {
        boolean saturate = node.attributes().isOne("saturate", true);
        return (launch, from, end, scratch) -> {
            for (long i = from; i < end; ) {
                long group = granularity.scale(i);
                long last = Math.min(end - i, granularity.run(i)) + i;
                float scale = (float) Elements.getDouble(scaleType, launch.input(1), group);
                double zero = zeroType == null ? 0 : Elements.getDouble(zeroType, launch.input(2), group);
                for (; i < last; i++) {
                    float quotient = (float) Elements.getDouble(type, launch.input(0), i) / scale;
                    Rounding.store(to, launch.output(0), i, quotient, zero, saturate);
                }
            }
        };
    }

    private static RangeTask widening(
            QuantisationAxes granularity,
            ElementType type,
            ElementType scaleType,
            @Nullable ElementType zeroType,
            ElementType to) {
        return (launch, from, end, scratch) -> {
            double[] values = scratch.doubles(0, (int) Math.min(PART, end - from));
            for (long at = from; at < end; at += PART) {
                int count = (int) Math.min(PART, end - at);
                Elements.read(type, launch.input(0), at, values, 0, count);
                for (int i = 0; i < count; ) {
                    long group = granularity.scale(at + i);
                    long last = Math.min(count - i, granularity.run(at + i)) + i;
                    double scale = Elements.getDouble(scaleType, launch.input(1), group);
                    double zero = zeroType == null ? 0 : Elements.getDouble(zeroType, launch.input(2), group);
                    for (; i < last; i++) {
                        values[i] = (values[i] - zero) * scale;
                    }
                }
                Elements.write(to, launch.output(0), at, values, 0, count);
            }
        };
    }
}
