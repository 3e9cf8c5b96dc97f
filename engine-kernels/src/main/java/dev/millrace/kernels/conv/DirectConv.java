package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Convolutions as the sums that they are. */
final class DirectConv implements ConvPlan {
    /** Fewer weights are packed before a kernel for that has been written. */
    private static final long MANY = 1 << 15;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final String layoutName;
    private final WeightLayout layout;
    private final CallPlan plan;

    DirectConv(KernelSet kernels, ConvShape shape, ConvInput input, Expr after) {
        this.kernels = kernels;
        this.shape = shape;
        int lanes = kernels.target().lanes();
        layoutName = "conv f32 block " + lanes + (input == ConvInput.PLAIN ? " plain" : "") + " of " + shape.groups()
                + " groups";
        layout = new WeightLayout(shape, lanes, input, 0);
        var calls = new CallPlan.Builder(kernels);
        new ConvPlanner(kernels.target(), shape, layout, Placement.dense(shape), input, after, calls).plan();
        plan = calls.build();
    }

    @Override
    public long packedBytes() {
        return layout.end();
    }

    @Override
    public String packedLayout() {
        return layoutName;
    }

    @Override
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        long taps = shape.taps();
        if (shape.groups() == 1 && shape.weightElements() >= MANY) {
            layout.packAll(kernels, weights, bias, packed);
            return;
        }
        long row = shape.width().taps();
        long plane = row * shape.height().taps();
        layout.pack(
                weights,
                (outChannel, channel, z, y, x) ->
                        ((long) outChannel * shape.groupChannels() + channel) * taps + z * plane + y * row + x,
                bias,
                packed);
    }

    @Override
    public long scratchBytes(int width) {
        return 0;
    }

    @Override
    public void run(ConvOperands operands, Parallel parallel) {
        plan.run(operands.forCalls(), parallel);
    }
}
