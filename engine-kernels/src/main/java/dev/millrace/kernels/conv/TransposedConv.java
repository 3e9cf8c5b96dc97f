package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transposed convolution: from images like the outputs of a convolution to images like its inputs. It is computed as
 * sub-pixel convolutions: outputs whose positions leave the same remainders when divided by the strides form one
 * ordinary convolution. Images are in the NCHWc order of {@link BlockedImages}. Safe for use by several threads.
 */
public final class TransposedConv implements PacksWeights {
    private final ConvShape forward;
    private final int lanes;
    private final boolean residual;
    private final List<Part> parts = new ArrayList<>();
    private final CallPlan plan;

    /**
     * The outputs of one remainder on each axis. Remainders without outputs have packed weights, too, because other
     * sizes need them.
     */
    private record Part(Phase depth, Phase height, Phase width, WeightLayout layout) {
        /** Returns the index of each of its taps in the transposed convolution, or -1 where that has no such tap. */
        int[] taps(ConvShape forward) {
            int depths = depth.axis().taps();
            int heights = height.axis().taps();
            int widths = width.axis().taps();
            int[] taps = new int[depths * heights * widths];
            for (int i = 0; i < taps.length; i++) {
                int z = depth.tap(i / (heights * widths));
                int y = height.tap(i / widths % heights);
                int x = width.tap(i % widths);
                boolean isNone = z < 0 || y < 0 || x < 0;
                taps[i] = isNone
                        ? -1
                        : (z * forward.height().taps() + y) * forward.width().taps() + x;
            }
            return taps;
        }
    }

    /**
     * @param forward the convolution that is transposed; its outputs are the inputs here
     * @param after the epilogue: input 0 is the sum, input 1 the element of the residual at the same position
     */
    public TransposedConv(KernelSet kernels, ConvShape forward, Expr after) {
        this.forward = forward;
        lanes = kernels.target().lanes();
        residual = ImageEpilogues.readsResidual(ImageEpilogues.checked(after));
        var calls = new CallPlan.Builder(kernels);
        long at = 0;
        for (int z = 0; z < forward.depth().stride(); z++) {
            for (int y = 0; y < forward.height().stride(); y++) {
                for (int x = 0; x < forward.width().stride(); x++) {
                    at = part(kernels, z, y, x, at, after, calls);
                }
            }
        }
        plan = calls.build();
    }

    private long part(KernelSet kernels, int z, int y, int x, long at, Expr after, CallPlan.Builder calls) {
        Phase depth = Phase.of(forward.depth(), z);
        Phase height = Phase.of(forward.height(), y);
        Phase width = Phase.of(forward.width(), x);
        ConvShape shape = new ConvShape(
                forward.batch(),
                forward.outChannels(),
                forward.channels(),
                forward.groups(),
                depth.axis(),
                height.axis(),
                width.axis());
        var layout = new WeightLayout(shape, lanes, ConvInput.BLOCKED, at);
        parts.add(new Part(depth, height, width, layout));
        if (shape.outPixels() == 0) {
            return layout.end();
        }
        long row = forward.width().in();
        long plane = row * forward.height().in();
        var placement = new Placement(
                z * plane + y * row + x,
                forward.width().stride(),
                forward.height().stride() * row,
                forward.depth().stride() * plane,
                forward.inPixels());
        new ConvPlanner(kernels.target(), shape, layout, placement, ConvInput.BLOCKED, after, 1, calls).plan();
        return layout.end();
    }

    /** The size of the packed weights in bytes. */
    public long packedBytes() {
        return parts.isEmpty() ? 0 : parts.getLast().layout().end();
    }

    @Override
    public String packedLayout() {
        return "transposed conv f32 block " + lanes + " of " + forward.groups() + " groups, remainders of "
                + remainders(forward.depth()) + ", " + remainders(forward.height()) + ", "
                + remainders(forward.width());
    }

    /** The properties of an axis that decide which taps the outputs of each remainder have. */
    private static String remainders(Axis axis) {
        return axis.stride() + " from " + Math.floorMod(axis.before(), axis.stride()) + " by " + axis.dilation();
    }

    /**
     * Packs the weights, in the order of the convolution that is transposed, with the bias of each output channel if
     * there is one.
     */
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        CallChecks.vector("the weights", weights, forward.weightElements());
        if (bias != null) {
            CallChecks.vector("the bias", bias, forward.channels());
        }
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        float[] numbers = weights.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        for (Part part : parts) {
            part.layout().pack(numbers, this::index, part.taps(forward), bias, packed);
        }
    }

    private int index(int outChannel, int channel) {
        int group = outChannel / forward.groupChannels();
        int in = group * forward.groupOutChannels() + channel;
        return (in * forward.groupChannels() + outChannel % forward.groupChannels()) * forward.taps();
    }

    /**
     * Computes {@code out = after(transposed(in) + bias, residual)}.
     *
     * @param other the residual, given if and only if the epilogue reads it; in the same layout as the output
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            Parallel parallel) {
        long inImage = BlockedImages.elements(lanes, forward.outChannels(), forward.outPixels());
        long outImage = BlockedImages.elements(lanes, forward.channels(), forward.inPixels());
        CallChecks.bytes("the packed weights", packed, packedBytes());
        var operands = new ConvOperands(forward.batch(), in, inImage, packed, other, out, outImage, null);
        operands.check(residual);
        try {
            plan.run(operands.forCalls(), parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(out);
        }
    }
}
