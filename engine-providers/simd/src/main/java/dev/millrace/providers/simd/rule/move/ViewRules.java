package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.Channels;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.WindowAxes;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Operators that only say anew where elements are. */
public final class ViewRules {
    private ViewRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.RESHAPE, OpName.FLATTEN, OpName.SQUEEZE, OpName.UNSQUEEZE, OpName.IDENTITY ->
                ViewRules::reshape;
            case OpName.DROPOUT -> op -> !op.wants(1) && op.inputs() < 3 && reshape(op);
            case OpName.TRANSPOSE -> ViewRules::transpose;
            case OpName.SLICE -> ViewRules::slice;
            case OpName.SPLIT -> ViewRules::split;
            case OpName.EXPAND -> ViewRules::expand;
            default -> null;
        };
    }

    static boolean reshape(LoweringContext op) {
        ValueState in = op.in(0);
        ValueState out = op.out();
        if (in.shape().equals(out.shape())) {
            op.lowering().provide(out, same(op, in));
            return true;
        }
        Supplier<View> plain = () -> {
            View view = op.lowering().view(in).reshaped(out.shape());
            return view != null
                    ? view
                    : Objects.requireNonNull(op.lowering().dense(in).reshaped(out.shape()));
        };
        Channels channels = channels(op);
        provide(op, out, channels == null ? null : channels.reshaped(in.shape(), out.shape(), plain), plain);
        return true;
    }

    /** The channels of an operator's images, or null where it has others. */
    private static @Nullable Channels channels(LoweringContext op) {
        op.lowering().materialise(op.in(0));
        return Channels.of(op.in(0));
    }

    /** @param channels null where the result is no rearrangement of channels */
    private static void provide(LoweringContext op, ValueState out, @Nullable Channels channels, Supplier<View> plain) {
        if (channels != null) {
            op.lowering().provide(out, channels);
        } else {
            op.lowering().provide(out, plain.get());
        }
    }

    private static View same(LoweringContext op, ValueState in) {
        op.lowering().materialise(in);
        return in.isBlockedOnly() ? op.lowering().blocked(in) : op.lowering().view(in);
    }

    private static boolean transpose(LoweringContext op) {
        if (op.in(0).type().isPacked()) {
            // no stride names a place inside of a byte
            return false;
        }
        int rank = op.in(0).shape().rank();
        int[] order = new int[rank];
        long[] perm = op.attributes().integers("perm");
        if (perm != null) {
            for (int i = 0; i < rank; i++) {
                order[i] = (int) perm[i];
            }
        } else {
            Arrays.setAll(order, i -> rank - 1 - i);
        }
        Supplier<View> plain = () -> op.lowering().view(op.in(0)).transposed(order);
        Channels channels = channels(op);
        provide(
                op,
                op.out(),
                channels == null ? null : channels.transposed(op.in(0).shape(), order, plain),
                plain);
        return true;
    }

    private static boolean slice(LoweringContext op) {
        ValueState in = op.in(0);
        int rank = in.shape().rank();
        long[] starts = new long[rank];
        long[] steps = new long[rank];
        Arrays.fill(steps, 1);
        boolean old = op.opset() < 10;
        long[] extents = old
                ? WindowAxes.numbers(op.attributes(), "starts", 0, 0)
                : op.content(1).longs();
        long[] axes = axes(op, old, extents.length);
        long[] by = old || !op.has(4) ? null : op.content(4).longs();
        for (int i = 0; i < extents.length; i++) {
            int axis = Shape.axis(axes[i], rank);
            long dim = in.shape().dim(axis);
            steps[axis] = by == null ? 1 : by[i];
            starts[axis] = Math.clamp(extents[i] < 0 ? extents[i] + dim : extents[i], 0, dim);
            if (steps[axis] < 1) {
                return false;
            }
        }
        provide(op, op.out(), starts, steps);
        return true;
    }

    private static long[] axes(LoweringContext op, boolean old, int count) {
        long[] extents =
                !old && op.has(3) ? op.content(3).longs() : op.attributes().integers("axes");
        if (extents != null) {
            return extents;
        }
        long[] axes = new long[count];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    private static boolean split(LoweringContext op) {
        ValueState in = op.in(0);
        int axis = Shape.axis(op.attributes().integer("axis", 0), in.shape().rank());
        long[] steps = new long[in.shape().rank()];
        Arrays.fill(steps, 1);
        long at = 0;
        for (int i = 0; i < op.outputs(); i++) {
            if (op.node().output(i) == null) {
                return false;
            }
            ValueState out = op.out(i);
            long[] starts = new long[in.shape().rank()];
            starts[axis] = at;
            at += out.shape().dim(axis);
            provide(op, out, starts, steps);
        }
        return true;
    }

    /** A part of the input. */
    private static void provide(LoweringContext op, ValueState out, long[] starts, long[] steps) {
        Shape from = op.in(0).shape();
        Supplier<View> plain = () -> op.lowering().view(op.in(0)).sliced(starts, steps, out.shape());
        Channels channels = channels(op);
        boolean others = channels == null || out.elements() == 0;
        for (int i = 0; i < starts.length; i++) {
            others |= i != 1 && from.dim(i) != out.shape().dim(i);
        }
        provide(
                op,
                out,
                channels == null || others
                        ? null
                        : channels.sliced(
                                from,
                                new Channels.Slice(
                                        starts[1],
                                        steps[1],
                                        Math.toIntExact(out.shape().dim(1))),
                                plain),
                plain);
    }

    private static boolean expand(LoweringContext op) {
        View view = op.lowering().view(op.in(0));
        Shape wanted = op.out().shape();
        if (view.shape().rank() > wanted.rank()) {
            return false;
        }
        op.lowering().provide(op.out(), view.broadcast(wanted));
        return true;
    }
}
