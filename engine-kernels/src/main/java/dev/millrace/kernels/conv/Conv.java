package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Extents;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Activations;
import dev.millrace.kernels.image.BlockedImages;
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
public final class Conv implements PacksWeights {
    private final ConvShape shape;
    private final boolean plain;
    /** Channels that the images have. */
    private final int given;

    private final boolean residual;
    private final int lanes;
    private final ConvPlan plan;

    /** A direct one, without scratch memory. */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after) {
        this(kernels, shape, plain, after, ConvMethod.DIRECT);
    }

    /** One that is meant for a single thread. */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after, ConvMethod method) {
        this(kernels, shape, plain, after, method, 1);
    }

    /**
     * @param plain whether input images are plain, channel by channel, not in blocks of channels
     * @param after what follows the sum, which is input 0; input 1 is the element at its place in the residual
     * @param method how it is done; input images are not plain unless it is direct
     * @param width how many threads the work is cut for; fewer and more can do it, too
     */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after, ConvMethod method, int width) {
        this.shape = shape.flattened();
        this.plain = plain;
        residual = Activations.readsResidual(Activations.checked(after));
        lanes = kernels.target().lanes();
        if (!method.fits(shape, kernels.target()) || plain && method != ConvMethod.DIRECT) {
            throw new IllegalArgumentException(
                    shape + (plain ? " of plain images" : "") + " cannot be done by " + method);
        }
        given = shape.channels();
        plan = switch (method) {
            case DIRECT -> direct(kernels, this.shape, plain, after, width);
            case WINOGRAD_2 -> new Winograd(kernels, this.shape, WinogradKind.SQUARES_OF_2, after, width);
            case WINOGRAD_4 -> new Winograd(kernels, this.shape, WinogradKind.SQUARES_OF_4, after, width);
        };
    }

    private static ConvPlan direct(KernelSet kernels, ConvShape shape, boolean plain, Expr after, int width) {
        return !plain && ListedConv.pays(shape, kernels.target().lanes())
                ? ListedConv.of(kernels, shape, ChannelOrder.same(shape.channels()), after, width)
                : DirectConv.of(kernels, shape, plain ? ConvInput.PLAIN : ConvInput.BLOCKED, after, width);
    }

    private Conv(KernelSet kernels, ConvShape shape, ChannelOrder order, Expr after, int width) {
        if (!readsInAnyOrder(shape) || order.count() != shape.channels()) {
            throw new IllegalArgumentException(shape + " does not read channels " + order);
        }
        this.shape = shape.flattened();
        plain = false;
        given = order.given();
        residual = Activations.readsResidual(Activations.checked(after));
        lanes = kernels.target().lanes();
        plan = ListedConv.of(kernels, this.shape, order, after, width);
    }

    /** Whether it can be done of channels that lie in another order, or among others. */
    public static boolean readsInAnyOrder(ConvShape shape) {
        return ListedConv.fits(shape);
    }

    /**
     * A direct one of images in blocks, without scratch memory, whose channels are those of the images that an order tells.
     *
     * @param width how many threads the work is cut for
     */
    public static Conv inOrder(KernelSet kernels, ConvShape shape, ChannelOrder order, Expr after, int width) {
        return new Conv(kernels, shape, order, after, width);
    }

    /** What the weights need packed, in bytes. */
    public long packedBytes() {
        return plan.packedBytes();
    }

    @Override
    public String packedLayout() {
        return plan.packedLayout();
    }

    /** Memory that a run wants for itself, on as many threads as a {@link Parallel} is wide. */
    public long scratchBytes(int width) {
        return plan.scratchBytes(width);
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
        plan.pack(weights, bias, packed);
    }

    /** Runs where no scratch memory is wanted. */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            Parallel parallel) {
        run(in, packed, other, out, null, parallel);
    }

    /**
     * Computes {@code out = after(conv(in) + bias, residual)}.
     *
     * @param other the residual, given if and only if what follows reads it; lies as the output does
     * @param scratch as many bytes as {@link #scratchBytes} says, for this run alone
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            @Nullable MemorySegment scratch,
            Parallel parallel) {
        long inImage = plain ? shape.inPixels() * given : BlockedImages.elements(lanes, given, shape.inPixels());
        long outImage = BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels());
        Extents.bytes("the packed weights", packed, packedBytes());
        var operands = new ConvOperands(shape.batch(), in, inImage, packed, other, out, outImage, scratch);
        operands.check(residual);
        long wanted = scratchBytes(parallel.width());
        if (scratch != null) {
            Extents.bytes("the scratch memory", scratch, wanted);
            Extents.writable("the scratch memory", scratch);
        } else if (wanted > 0) {
            throw new IllegalArgumentException("a run wants " + wanted + " bytes of scratch memory, but none is given");
        }
        try {
            plan.run(operands, parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }
}
