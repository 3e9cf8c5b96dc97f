package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.Extents;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Activations;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A transposed convolution: from images like the outputs of a convolution to images like its inputs. Done as one
 * convolution for each remainder that the place of an output leaves when divided by the strides. Images are in the order
 * of {@link BlockedImages}. Safe for use by several threads.
 */
public final class TransposedConv implements PacksWeights {
    private final ConvShape forward;
    private final int lanes;
    private final boolean residual;
    private final List<Part> parts = new ArrayList<>();
    private final CallPlan plan;

    /** The outputs of one remainder of each axis; weights of those that there are none of are packed, too, for other sizes. */
    private record Part(Phase depth, Phase height, Phase width, WeightLayout layout) {
        /** Where each tap of it is among those of the convolution that is transposed, or -1 where it is none of them. */
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
     * @param forward the convolution that is transposed; what are its outputs are inputs here
     * @param after what follows the sum, which is input 0; input 1 is the element at its place in the residual
     */
    public TransposedConv(KernelSet kernels, ConvShape forward, Expr after) {
        this.forward = forward;
        lanes = kernels.target().lanes();
        residual = Activations.readsResidual(Activations.checked(after));
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

    /** What the weights need packed, in bytes. */
    public long packedBytes() {
        return parts.isEmpty() ? 0 : parts.getLast().layout().end();
    }

    @Override
    public String packedLayout() {
        return "transposed conv f32 block " + lanes + " of " + forward.groups() + " groups, remainders of "
                + remainders(forward.depth()) + ", " + remainders(forward.height()) + ", "
                + remainders(forward.width());
    }

    /** What decides which taps the outputs of each remainder have. */
    private static String remainders(Axis axis) {
        return axis.stride() + " from " + Math.floorMod(axis.before(), axis.stride()) + " by " + axis.dilation();
    }

    /** Packs weights as those of the convolution that is transposed, with the bias of each output channel if any. */
    public void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        Extents.vector("the weights", weights, forward.weightElements());
        if (bias != null) {
            Extents.vector("the bias", bias, forward.channels());
        }
        Extents.bytes("the packed weights", packed, packedBytes());
        Extents.writable("the packed weights", packed);
        float[] given = weights.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        for (Part part : parts) {
            part.layout().pack(given, this::index, part.taps(forward), bias, packed);
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
     * @param other the residual, given if and only if what follows reads it; lies as the output does
     */
    public void run(
            MemorySegment in,
            MemorySegment packed,
            @Nullable MemorySegment other,
            MemorySegment out,
            Parallel parallel) {
        long inImage = BlockedImages.elements(lanes, forward.outChannels(), forward.outPixels());
        long outImage = BlockedImages.elements(lanes, forward.channels(), forward.inPixels());
        Extents.bytes("the packed weights", packed, packedBytes());
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
