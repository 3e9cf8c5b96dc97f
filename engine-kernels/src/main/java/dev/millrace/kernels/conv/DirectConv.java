package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Convolutions as the sums that they are. */
final class DirectConv extends CalledConv {
    /** Fewer weights are packed before a kernel for that has been written. */
    private static final long MANY = 1 << 15;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final WeightLayout layout;

    private DirectConv(String layoutName, CallPlan plan, KernelSet kernels, ConvShape shape, WeightLayout layout) {
        super(layoutName, plan);
        this.kernels = kernels;
        this.shape = shape;
        this.layout = layout;
    }

    static DirectConv of(KernelSet kernels, ConvShape shape, ConvInput input, Expr after, int threads) {
        int lanes = kernels.target().lanes();
        String layoutName = "conv f32 block " + lanes + (input == ConvInput.PLAIN ? " plain" : "") + " of "
                + shape.groups() + " groups";
        var layout = new WeightLayout(shape, lanes, input, 0);
        var calls = new CallPlan.Builder(kernels);
        new ConvPlanner(kernels.target(), shape, layout, Placement.dense(shape), input, after, threads, calls).plan();
        return new DirectConv(layoutName, calls.build(), kernels, shape, layout);
    }

    @Override
    public long packedBytes() {
        return layout.end();
    }

    @Override
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        if (shape.groups() == 1 && shape.weightElements() >= MANY && weights.isNative()) {
            layout.packAll(kernels, weights, bias, packed);
            return;
        }
        int[] taps = new int[Math.toIntExact(shape.taps())];
        Arrays.setAll(taps, tap -> tap);
        layout.pack(
                weights.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED),
                (outChannel, channel) -> (outChannel * shape.groupChannels() + channel) * taps.length,
                taps,
                bias,
                packed);
    }
}
