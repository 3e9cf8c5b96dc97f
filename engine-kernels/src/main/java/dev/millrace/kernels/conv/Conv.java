package dev.millrace.kernels.conv;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.CallPlan;
import dev.millrace.kernels.driver.CallPlan.Base;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.family.KernelSet;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A convolution of fp32 images of one shape, with what follows it fused. Output images are in the order of
 * {@link BlockedImages}, input images too, or plain. Memory is native (heap memory only where kernels are interpreted).
 * Safe for use by several threads.
 *
 * <p>An infinity or NaN of a channel reaches all output channels of the blocks that see it, also those of other groups
 * where groups are no whole blocks.
 */
public final class Conv {
    private final ConvShape shape;
    private final boolean plain;
    private final boolean residual;
    private final int lanes;
    private final WeightLayout layout;
    private final CallPlan plan;

    /**
     * @param plain whether input images are plain, channel by channel, not in blocks of channels
     * @param after what follows the sum, which is input 0; input 1 is the element at its place in the residual
     */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after) {
        this.shape = shape.flattened();
        this.plain = plain;
        residual = Activations.readsResidual(Activations.checked(after));
        lanes = kernels.target().lanes();
        layout = new WeightLayout(this.shape, lanes, plain);
        CallPlan.Builder calls = new CallPlan.Builder(kernels);
        new ConvPlanner(kernels.target(), this.shape, layout, Placement.dense(this.shape), plain, after, calls).plan();
        plan = calls.build();
    }

    /** What the weights need packed, in bytes. */
    public long packedBytes() {
        return layout.bytes();
    }

    /** Names the layout of packed weights: packed bytes are good only where the layout is the same. */
    public String packedLayout() {
        return "conv f32 block " + lanes + (plain ? " plain" : "");
    }

    /**
     * Packs weights of outChannels × channels of a group × taps, with the bias of each output channel if there is one.
     */
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        Extents.vector("the weights", weights, shape.weightElements());
        if (bias != null) {
            Extents.vector("the bias", bias, shape.outChannels());
        }
        Extents.bytes("the packed weights", packed, packedBytes());
        Extents.writable("the packed weights", packed);
        int height = shape.height().taps();
        int width = shape.width().taps();
        layout.pack(
                weights,
                (outChannel, channel, z, y, x) -> (((long) outChannel * shape.groupChannels() + channel)
                                                * shape.depth().taps()
                                        + z)
                                * height
                                * width
                        + (long) y * width
                        + x,
                bias,
                packed);
    }

    /**
     * Computes {@code out = after(conv(in) + bias, residual)}.
     *
     * @param other the residual, given if and only if what follows reads it; lies as the output does
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            Parallel parallel) {
        long inImage = plain
                ? shape.inPixels() * shape.channels()
                : BlockedImages.elements(lanes, shape.channels(), shape.inPixels());
        long outImage = BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels());
        Extents.vector("the input", in, Math.multiplyExact(inImage, shape.batch()));
        Extents.vector("the output", out, Math.multiplyExact(outImage, shape.batch()));
        Extents.bytes("the packed weights", packed, packedBytes());
        Extents.writable("the output", out);
        Extents.apart("the output", out, "the input", in);
        if (residual != (other != null)) {
            throw new IllegalArgumentException(
                    other == null ? "what follows reads a residual, but none is given" : "a residual is not read");
        }
        if (other != null) {
            Extents.vector("the residual", other, outImage * shape.batch());
        }
        try {
            plan.run(
                    CallPlan.Operands.of(shape.batch())
                            .with(Base.INPUT, in, 4 * inImage)
                            .with(Base.WEIGHTS, packed, 0)
                            .with(Base.OUTPUT, out, 4 * outImage)
                            .with(Base.OTHER, other, 4 * outImage),
                    parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }
}
