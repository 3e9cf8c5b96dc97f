package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** QuantizeLinear and DequantizeLinear. */
record QuantizeKernel(Node node, boolean forward) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Granularity granularity = Granularity.of(
                context.inputShape(0),
                context.inputShape(1),
                node.opset() < 13 ? 0 : node.attributes().integer("axis", 1),
                node.attributes().integer("block_size", 0));
        ElementType type = context.inputType(0);
        ElementType scaleType = context.inputType(1);
        ElementType to = context.outputType(0);
        ElementType zeroType = context.hasInput(2) ? context.inputType(2) : null;
        boolean saturate = node.attributes().flag("saturate", true);
        RangeTask task = (launch, from, end, scratch) -> {
            for (long i = from; i < end; ) {
                long group = granularity.scale(i);
                long last = Math.min(end - i, granularity.run(i)) + i;
                double scale = Elements.getDouble(scaleType, launch.input(1), group);
                double zero = zeroType == null ? 0 : Elements.getDouble(zeroType, launch.input(2), group);
                for (; i < last; i++) {
                    double value = Elements.getDouble(type, launch.input(0), i);
                    if (forward) {
                        float quotient = (float) value / (float) scale;
                        Rounding.store(to, launch.output(0), i, quotient, zero, saturate);
                    } else {
                        Elements.setDouble(to, launch.output(0), i, (value - zero) * scale);
                    }
                }
            }
        };
        long count = context.inputShape(0).elements();
        long grain = to.isPacked() ? Long.MAX_VALUE : 8192;
        return launch -> launch.parallelFor(count, grain, task);
    }
}
