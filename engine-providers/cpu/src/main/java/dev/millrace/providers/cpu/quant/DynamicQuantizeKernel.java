package dev.millrace.providers.cpu.quant;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** DynamicQuantizeLinear: to uint8, over the range of the input itself, zero included and NaN left out. */
final class DynamicQuantizeKernel implements ShapedKernel {
    private static final int BLOCK = 1024;

    @Override
    public Launch bind(BindContext context) {
        long count = context.inputShape(0).elements();
        return launch -> {
            float[] block = launch.scratch().floats(0, BLOCK);
            float low = 0;
            float high = 0;
            for (long at = 0; at < count; at += BLOCK) {
                launch.checkCancelled();
                int length = (int) Math.min(BLOCK, count - at);
                Elements.read(ElementType.FLOAT, launch.input(0), at, block, 0, length);
                for (int i = 0; i < length; i++) {
                    low = block[i] < low ? block[i] : low;
                    high = block[i] > high ? block[i] : high;
                }
            }
            float range = (high - low) / 255f;
            float scale = range == 0 ? 1 : range;
            float zero = (float) Math.clamp(Math.rint(-low / scale), 0, 255);
            launch.output(1).set(ByteLayouts.FLOAT, 0, scale);
            launch.output(2).set(ByteLayouts.BYTE, 0, (byte) (int) zero);
            for (long at = 0; at < count; at += BLOCK) {
                launch.checkCancelled();
                int length = (int) Math.min(BLOCK, count - at);
                Elements.read(ElementType.FLOAT, launch.input(0), at, block, 0, length);
                for (int i = 0; i < length; i++) {
                    double steps = Math.rint(block[i] / scale);
                    launch.output(0).set(ByteLayouts.BYTE, at + i, (byte) (int) Math.clamp(steps + zero, 0, 255));
                }
            }
        };
    }
}
