package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.View;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Operators that only say anew where elements are. */
final class ViewRules {
    private ViewRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity" -> ViewRules::reshape;
            case "Dropout" -> op -> !op.wants(1) && op.inputs() < 3 && reshape(op);
            case "Transpose" -> ViewRules::transpose;
            case "Slice" -> ViewRules::slice;
            case "Split" -> ViewRules::split;
            case "Expand" -> ViewRules::expand;
            default -> null;
        };
    }

    static boolean reshape(Op op) {
        Cell in = op.in(0);
        Cell out = op.out();
        View view = in.shape().equals(out.shape()) ? same(op, in) : null;
        if (view == null) {
            view = op.lowering().view(in).reshaped(out.shape());
        }
        if (view == null) {
            view = Objects.requireNonNull(op.lowering().dense(in).reshaped(out.shape()));
        }
        op.lowering().provide(out, view);
        return true;
    }

    private static View same(Op op, Cell in) {
        op.lowering().materialise(in);
        return in.isBlockedOnly() ? op.lowering().blocked(in) : op.lowering().view(in);
    }

    private static boolean transpose(Op op) {
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
        op.lowering().provide(op.out(), op.lowering().view(op.in(0)).transposed(order));
        return true;
    }

    private static boolean slice(Op op) {
        Cell in = op.in(0);
        int rank = in.shape().rank();
        long[] starts = new long[rank];
        long[] steps = new long[rank];
        Arrays.fill(steps, 1);
        boolean old = op.opset() < 10;
        long[] given = old
                ? Windows.numbers(op.attributes(), "starts", 0, 0)
                : op.content(1).longs();
        long[] axes = axes(op, old, given.length);
        long[] by = old || !op.has(4) ? null : op.content(4).longs();
        for (int i = 0; i < given.length; i++) {
            int axis = Shape.axis(axes[i], rank);
            long dim = in.shape().dim(axis);
            steps[axis] = by == null ? 1 : by[i];
            starts[axis] = Math.clamp(given[i] < 0 ? given[i] + dim : given[i], 0, dim);
            if (steps[axis] < 1) {
                return false;
            }
        }
        op.lowering()
                .provide(
                        op.out(),
                        op.lowering().view(in).sliced(starts, steps, op.out().shape()));
        return true;
    }

    private static long[] axes(Op op, boolean old, int count) {
        long[] given =
                !old && op.has(3) ? op.content(3).longs() : op.attributes().integers("axes");
        if (given != null) {
            return given;
        }
        long[] axes = new long[count];
        Arrays.setAll(axes, i -> i);
        return axes;
    }

    private static boolean split(Op op) {
        Cell in = op.in(0);
        int axis = Shape.axis(op.attributes().integer("axis", 0), in.shape().rank());
        View view = op.lowering().view(in);
        long[] steps = new long[in.shape().rank()];
        Arrays.fill(steps, 1);
        long at = 0;
        for (int i = 0; i < op.outputs(); i++) {
            if (op.node().output(i) == null) {
                return false;
            }
            Cell out = op.out(i);
            long[] starts = new long[in.shape().rank()];
            starts[axis] = at;
            at += out.shape().dim(axis);
            op.lowering().provide(out, view.sliced(starts, steps, out.shape()));
        }
        return true;
    }

    private static boolean expand(Op op) {
        View view = op.lowering().view(op.in(0));
        Shape wanted = op.out().shape();
        if (view.shape().rank() > wanted.rank()) {
            return false;
        }
        op.lowering().provide(op.out(), view.broadcast(wanted));
        return true;
    }
}
