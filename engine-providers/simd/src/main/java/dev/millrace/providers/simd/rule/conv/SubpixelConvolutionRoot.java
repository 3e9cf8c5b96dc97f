package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.PlaneCost;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A transposed convolution to few channels, computed as a sub-pixel convolution: a convolution of the same images to a
 * channel for each remainder that the position of an output leaves when divided by the strides. Blocks of channels are
 * filled better that way. The results are moved to their positions afterwards.
 */
final class SubpixelConvolutionRoot extends ImageRoot {
    /** The most channels times remainders; no model has more, and they would take more memory than they are worth. */
    private static final long MOST_CHANNELS = 1 << 14;

    /**
     * The relative time of a vector instruction of a direct convolution over planes, for one channel and one remainder
     * alone: in the other methods channels share the operands that they read.
     */
    private static final double SCATTERED = 3;

    private final ValueState in;
    private final Phases phases;
    private final ConvRoot conv;

    SubpixelConvolutionRoot(
            PartitionCompiler lowering, ValueState in, Phases phases, ConvWeights weights, boolean ofOneSize) {
        super(lowering);
        this.in = in;
        this.phases = phases;
        conv = new ConvRoot(lowering, in, phases.conv(), new ConvWeights.OfPhases(weights, phases), ofOneSize);
    }

    /**
     * Whether this takes less time than a convolution for each remainder: over planes, or to blocks most of which is
     * empty.
     *
     * @param forward the convolution that is transposed
     * @param planes whether the other method is over planes
     */
    static boolean pays(ConvShape forward, boolean planes, int block) {
        if (!Phases.fits(forward, MOST_CHANNELS)) {
            return false;
        }
        double apart = planes
                ? SCATTERED * PlaneRoot.costTransposed(forward, block) * forward.inPixels()
                : ofBlocks(forward, block);
        return cost(new Phases(forward).conv(), forward, block) < apart;
    }

    private static double cost(ConvShape conv, ConvShape forward, int block) {
        int blocks = Math.ceilDiv(conv.outChannels(), block);
        double sums = (double) blocks * seen(conv.channels(), conv.outChannels(), conv.groups(), block) * conv.taps();
        double moved = PlaneCost.ofInputs(forward.channels(), true, block)
                + PlaneCost.REORDER * Math.ceilDiv(forward.channels(), block);
        return reorders(forward, block)
                + (sums + PlaneCost.REORDER * blocks) * conv.outPixels()
                + moved * forward.inPixels();
    }

    private static double ofBlocks(ConvShape forward, int block) {
        double blocks = Math.ceilDiv(forward.channels(), block);
        int seen = seen(forward.outChannels(), forward.channels(), forward.groups(), block);
        return reorders(forward, block) + blocks * seen * forward.taps() * forward.outPixels();
    }

    private static double reorders(ConvShape forward, int block) {
        return PlaneCost.REORDER * Math.ceilDiv(forward.outChannels(), block) * forward.outPixels();
    }

    /** The number of input channels that a block of output channels depends on. */
    private static int seen(int channels, int outChannels, int groups, int block) {
        int ofBlock = Math.ceilDiv(block, outChannels / groups);
        return Math.min(channels, ofBlock * Math.ceilDiv(channels / groups, block) * block);
    }

    @Override
    void add(ValueState result, Expr after, @Nullable ValueState residual) {
        if (residual != null) {
            throw new IllegalArgumentException("a residual lies where results are put, not where they are computed");
        }
        int spatial = in.shape().rank() - 2;
        Shape found = shape(spatial, phases.conv());
        ValueState sums = lowering().part(result, ElementType.FLOAT, found);
        conv.add(sums, after, null);
        long[] apart = new long[2 + 2 * spatial];
        long[] placed = new long[apart.length];
        int[] order = new int[apart.length];
        long[] whole = new long[2 + spatial];
        long[] first = new long[whole.length];
        long[] steps = new long[whole.length];
        whole[0] = apart[0] = placed[0] = found.dim(0);
        whole[1] = apart[1] = placed[1] = result.shape().dim(1);
        steps[0] = steps[1] = 1;
        order[1] = 1;
        for (int i = 0; i < spatial; i++) {
            Phases.Line line = phases.lines().get(3 - spatial + i);
            apart[2 + i] = placed[3 + 2 * i] = line.stride();
            apart[2 + spatial + i] = placed[2 + 2 * i] = found.dim(2 + i);
            order[2 + 2 * i] = 2 + spatial + i;
            order[3 + 2 * i] = 2 + i;
            whole[2 + i] = found.dim(2 + i) * line.stride();
            first[2 + i] = line.first();
            steps[2 + i] = 1;
        }
        Shape all = Shape.of(whole);
        boolean fitting = all.equals(result.shape());
        View to = fitting ? lowering().allocate(result) : lowering().allocate(ElementType.FLOAT, all);
        View from = Objects.requireNonNull(lowering().dense(sums).reshaped(Shape.of(apart)));
        lowering().copy(from.transposed(order), Objects.requireNonNull(to.reshaped(Shape.of(placed))), result.name());
        if (!fitting) {
            lowering().provide(result, to.sliced(first, steps, result.shape()));
        }
    }

    /** Returns the output shape of a convolution with so many spatial dimensions. */
    private static Shape shape(int spatial, ConvShape conv) {
        int[] pixels = {conv.depth().out(), conv.height().out(), conv.width().out()};
        long[] dims = new long[2 + spatial];
        dims[0] = conv.batch();
        dims[1] = conv.outChannels();
        for (int i = 0; i < spatial; i++) {
            dims[2 + i] = pixels[3 - spatial + i];
        }
        return Shape.of(dims);
    }
}
