package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;

/**
 * A convolution of fp32 images of one shape with a fused epilogue. Output images are in the NCHWc order of
 * {@link BlockedImages}, input images as well or in NCHW. Memory is native (heap memory only where kernels are
 * interpreted). Safe for use by several threads.
 *
 * <p>An infinity or NaN of an input channel reaches all output channels of the blocks that read it, also those of other
 * groups where groups are no whole blocks.
 */
public final class Conv implements PacksWeights {
    private final ConvShape shape;
    private final boolean plain;
    /** The number of channels that the images have. */
    private final int imageChannels;

    private final boolean residual;
    private final int lanes;
    private final ConvPlan plan;

    /** Creates a direct convolution, which needs no scratch memory. */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after) {
        this(kernels, shape, plain, after, ConvMethod.DIRECT);
    }

    /** Creates a convolution whose work is cut for a single thread. */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after, ConvMethod method) {
        this(kernels, shape, plain, after, method, 1);
    }

    /**
     * @param plain whether input images are in NCHW, not in blocks of channels
     * @param after the epilogue: input 0 is the sum, input 1 the element of the residual at the same position
     * @param method the algorithm; input images are in NCHW only where it is direct
     * @param width the number of threads that the work is cut for; fewer and more can run it, too
     */
    public Conv(KernelSet kernels, ConvShape shape, boolean plain, Expr after, ConvMethod method, int width) {
        this.shape = shape.flattened();
        this.plain = plain;
        residual = ImageEpilogues.readsResidual(ImageEpilogues.checked(after));
        lanes = kernels.target().lanes();
        if (!method.fits(shape, kernels.target()) || plain && method != ConvMethod.DIRECT) {
            throw new IllegalArgumentException(
                    shape + (plain ? " of plain images" : "") + " cannot be done by " + method);
        }
        imageChannels = shape.channels();
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
        imageChannels = order.imageChannels();
        residual = ImageEpilogues.readsResidual(ImageEpilogues.checked(after));
        lanes = kernels.target().lanes();
        plan = ListedConv.of(kernels, this.shape, order, after, width);
    }

    /** Whether the convolution can read channels in any order, or a selection of them. */
    public static boolean readsInAnyOrder(ConvShape shape) {
        return ListedConv.fits(shape);
    }

    /**
     * Creates a direct convolution of images in blocks, which needs no scratch memory and reads the channels that
     * {@code order} names.
     *
     * @param width the number of threads that the work is cut for
     */
    public static Conv inOrder(KernelSet kernels, ConvShape shape, ChannelOrder order, Expr after, int width) {
        return new Conv(kernels, shape, order, after, width);
    }

    /** The size of the packed weights in bytes. */
    public long packedBytes() {
        return plan.packedBytes();
    }

    @Override
    public String packedLayout() {
        return plan.packedLayout();
    }

    /** The scratch memory of a run in bytes, on as many threads as a {@link Parallel} is wide. */
    public long scratchBytes(int width) {
        return plan.scratchBytes(width);
    }

    /**
     * Packs weights of outChannels × channels of a group × taps, with the bias of each output channel if there is one.
     */
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        CallChecks.vector("the weights", weights, shape.weightElements());
        if (bias != null) {
            CallChecks.vector("the bias", bias, shape.outChannels());
        }
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        plan.pack(weights, bias, packed);
    }

    /** Runs a convolution that needs no scratch memory. */
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
     * @param other the residual, given if and only if the epilogue reads it; in the same layout as the output
     * @param scratch as many bytes as {@link #scratchBytes} says, for this run alone
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            @Nullable MemorySegment scratch,
            Parallel parallel) {
        long inImage = plain
                ? shape.inPixels() * imageChannels
                : BlockedImages.elements(lanes, imageChannels, shape.inPixels());
        long outImage = BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels());
        CallChecks.bytes("the packed weights", packed, packedBytes());
        var operands = new ConvOperands(shape.batch(), in, inImage, packed, other, out, outImage, scratch);
        operands.check(residual);
        long wanted = scratchBytes(parallel.width());
        if (scratch != null) {
            CallChecks.bytes("the scratch memory", scratch, wanted);
            CallChecks.writable("the scratch memory", scratch);
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
