package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.program.View;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A transposed convolution to few channels whose windows lie side by side: each tap is a channel of a convolution without
 * a window, so that blocks of channels are better filled, and what it gives is put in its place then.
 */
final class TapByTapAnchor extends ImageAnchor {
    private final Cell in;
    private final ConvShape forward;
    private final ConvAnchor pointwise;

    TapByTapAnchor(Lowering lowering, Cell in, ConvShape forward, ConvWeights weights, boolean ofOneSize) {
        super(lowering);
        this.in = in;
        this.forward = forward;
        var shape = new ConvShape(
                forward.batch(),
                forward.outChannels(),
                forward.channels() * forward.taps(),
                forward.groups(),
                Axis.pointwise(forward.depth().out()),
                Axis.pointwise(forward.height().out()),
                Axis.pointwise(forward.width().out()));
        pointwise = new ConvAnchor(lowering, in, shape, new ConvWeights.TapByTap(weights, forward.groups()), ofOneSize);
    }

    /** @param forward the convolution that is transposed */
    static boolean fits(ConvShape forward, int block) {
        return 2 * forward.channels() <= block
                && forward.taps() > 1
                && isSideBySide(forward.depth())
                && isSideBySide(forward.height())
                && isSideBySide(forward.width());
    }

    private static boolean isSideBySide(Axis axis) {
        boolean touching = axis.taps() == 1 || axis.dilation() == 1;
        return touching
                && axis.taps() == axis.stride()
                && axis.before() == 0
                && axis.in() == axis.out() * axis.stride();
    }

    @Override
    void add(Cell result, Expr after, @Nullable Cell residual) {
        if (residual != null) {
            throw new IllegalArgumentException("a residual lies where results are put, not where they are computed");
        }
        Shape from = in.shape();
        int spatial = from.rank() - 2;
        Cell taps =
                lowering().part(result, ElementType.FLOAT, from.with(1, (long) forward.channels() * forward.taps()));
        pointwise.add(taps, after, null);
        int[] window = {
            forward.depth().taps(), forward.height().taps(), forward.width().taps()
        };
        long[] given = new long[2 + 2 * spatial];
        long[] wanted = new long[given.length];
        int[] order = new int[given.length];
        given[0] = wanted[0] = from.dim(0);
        given[1] = wanted[1] = forward.channels();
        order[1] = 1;
        for (int i = 0; i < spatial; i++) {
            given[2 + i] = wanted[3 + 2 * i] = window[3 - spatial + i];
            given[2 + spatial + i] = wanted[2 + 2 * i] = from.dim(2 + i);
            order[2 + 2 * i] = 2 + spatial + i;
            order[3 + 2 * i] = 2 + i;
        }
        View apart = Objects.requireNonNull(lowering().dense(taps).reshaped(Shape.of(given)));
        View places = Objects.requireNonNull(lowering().allocate(result).reshaped(Shape.of(wanted)));
        lowering().copy(apart.transposed(order), places, result.name());
    }
}
