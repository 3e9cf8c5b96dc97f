package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A convolution in which each channel sees itself only, of images of one shape in {@link BlockedImages}. Safe for use
 * by several threads.
 *
 * <p>Packed weights are, for each block of channels, the bias, then tap by tap the weights of its channels.
 */
public final class DepthwiseConv implements PacksWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final WindowShape shape;
    private final int lanes;
    private final boolean residual;
    private final WindowCalls windows;

    /** @param after what follows the sum, which is input 0; input 1 is the element at its place in the residual */
    public DepthwiseConv(KernelSet kernels, WindowShape shape, Expr after) {
        this.shape = shape;
        lanes = kernels.target().lanes();
        residual = ImageEpilogues.readsResidual(ImageEpilogues.checked(after));
        windows = new WindowCalls(kernels, shape, WindowOp.of(Combination.WEIGHTED, Expr.input(0), after));
    }

    static long blockBytes(WindowShape shape, int lanes) {
        return Math.multiplyExact(4L * lanes, 1L + shape.taps());
    }

    public long packedBytes() {
        return Math.multiplyExact(blockBytes(shape, lanes), BlockedImages.blocks(lanes, shape.channels()));
    }

    @Override
    public String packedLayout() {
        return "depthwise f32 block " + lanes;
    }

    /** Packs weights of channels × taps, with the bias of each channel if there is one. */
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        int taps = shape.taps();
        CallChecks.vector("the weights", weights, Math.multiplyExact((long) taps, shape.channels()));
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        if (bias != null) {
            CallChecks.vector("the bias", bias, shape.channels());
        }
        packed.asSlice(0, packedBytes()).fill((byte) 0);
        for (int channel = 0; channel < shape.channels(); channel++) {
            long at = channel / lanes * blockBytes(shape, lanes) + 4L * (channel % lanes);
            if (bias != null) {
                packed.set(FLOAT, at, bias.getAtIndex(FLOAT, channel));
            }
            for (int tap = 0; tap < taps; tap++) {
                at += 4L * lanes;
                packed.set(FLOAT, at, weights.getAtIndex(FLOAT, (long) channel * taps + tap));
            }
        }
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
        CallChecks.bytes("the packed weights", packed, packedBytes());
        if (residual != (other != null)) {
            throw new IllegalArgumentException(
                    other == null ? "what follows reads a residual, but none is given" : "a residual is not read");
        }
        windows.run(in, packed, other, out, parallel);
    }
}
