package dev.millrace.kernels.conv;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.CallPlan;
import dev.millrace.kernels.driver.CallPlan.Base;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.family.KernelSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A convolution of quantised images of one shape. Images are ints of 16 bits, their zero points taken off, in the order
 * of {@link BlockedImages} with zeros where channels do not fill the last block, as {@link Reorder#ofBytes} makes them;
 * output images are the same. Sums are exact in 32 bits, wrapping around; each output is {@code round(sum * scale)}, a
 * half going to the even one, clamped. Safe for use by several threads.
 */
public final class BlockedQuantisedConv {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

    private final ConvShape shape;
    private final int lanes;
    private final WeightLayout layout;
    private final CallPlan plan;

    /**
     * @param shape flat images, and at most 8 taps in a row
     * @param least of the outputs, at most 0
     * @param most of the outputs, at least 0
     */
    public BlockedQuantisedConv(KernelSet kernels, ConvShape shape, int least, int most) {
        if (shape.depth().taps() > 1 || shape.width().taps() > ConvTile.MAX_TAPS) {
            throw new IllegalArgumentException(shape + ": a quantised convolution is of flat images, with up to "
                    + ConvTile.MAX_TAPS + " taps in a row");
        }
        if (least > 0 || most < 0 || least < Short.MIN_VALUE || most > Short.MAX_VALUE) {
            throw new IllegalArgumentException("quantised outputs from " + least + " to " + most);
        }
        this.shape = shape.flattened();
        lanes = kernels.target().lanes();
        layout = new WeightLayout(this.shape, lanes, ConvInput.PAIRS, 0);
        Expr clamped = Expr.number(least).max(Expr.number(most).min(Activations.NONE));
        var calls = new CallPlan.Builder(kernels);
        Placement placement = Placement.dense(this.shape);
        new ConvPlanner(kernels.target(), this.shape, layout, placement, ConvInput.PAIRS, clamped, calls).plan();
        plan = calls.build();
    }

    /** What the weights need packed, in bytes. */
    public long packedBytes() {
        return layout.end();
    }

    /** Names the layout of packed weights: packed bytes are good only where the layout is the same. */
    public String packedLayout() {
        return "conv s16 block " + lanes;
    }

    /**
     * Packs weights of outChannels × channels of a group × taps.
     *
     * @param weights bytes with sign
     * @param zeros the zero point of each output channel's weights, a byte with sign; null if all are 0
     * @param bias an int for each output channel
     * @param scales a float for each output channel: what a sum is multiplied with to be an output
     */
    public void pack(
            MemorySegment weights,
            @Nullable MemorySegment zeros,
            @Nullable MemorySegment bias,
            MemorySegment scales,
            MemorySegment packed) {
        int outChannels = shape.outChannels();
        Extents.bytes("the weights", weights, shape.weightElements());
        Extents.vector("the scales", scales, outChannels);
        Extents.bytes("the packed weights", packed, packedBytes());
        Extents.writable("the packed weights", packed);
        if (zeros != null) {
            Extents.bytes("the zero points", zeros, outChannels);
        }
        if (bias != null) {
            Extents.vector("the bias", bias, outChannels);
        }
        packed.asSlice(0, packedBytes()).fill((byte) 0);
        for (int channel = 0; channel < outChannels; channel++) {
            packed.set(INT, 4L * channel, bias == null ? 0 : bias.getAtIndex(INT, channel));
            packed.set(FLOAT, layout.scales() + 4L * channel, scales.getAtIndex(FLOAT, channel));
        }
        long perChannel = shape.weightElements() / outChannels;
        int row = shape.width().taps();
        layout.packWeights(
                (outChannel, channel, z, y, x) ->
                        outChannel * perChannel + (long) channel * shape.taps() + (long) y * row + x,
                packed,
                (to, place, index) -> {
                    int zero = zeros == null ? 0 : zeros.get(ValueLayout.JAVA_BYTE, index / perChannel);
                    to.set(SHORT, place, (short) (weights.get(ValueLayout.JAVA_BYTE, index) - zero));
                });
    }

    /** Computes {@code out = clamp(round((conv(in) + bias) * scale))}. */
    public void run(MemorySegment in, MemorySegment packed, MemorySegment out, Parallel parallel) {
        long inBytes = 2 * BlockedImages.elements(lanes, shape.channels(), shape.inPixels());
        long outBytes = 2 * BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels());
        Extents.bytes("the input", in, Math.multiplyExact(inBytes, shape.batch()));
        Extents.bytes("the output", out, Math.multiplyExact(outBytes, shape.batch()));
        Extents.bytes("the packed weights", packed, packedBytes());
        Extents.writable("the output", out);
        Extents.apart("the output", out, "the input", in);
        try {
            plan.run(
                    CallPlan.Operands.of(shape.batch())
                            .with(Base.INPUT, in, inBytes)
                            .with(Base.WEIGHTS, packed, 0)
                            .with(Base.OUTPUT, out, outBytes),
                    parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }
}
