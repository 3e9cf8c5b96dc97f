package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Padding, by a number or by what is at the other side or at the edge. */
public final class PadRules {
    private static final int PADS_ARE_AN_INPUT_SINCE = 11;
    private static final int MOST_BYTES = 8;
    /** Runs are found element by element, and what is longer is no axis of a real value. */
    private static final long LONGEST_AXIS = 1 << 24;

    private PadRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.PAD -> PadRules::pad;
            default -> null;
        };
    }

    private static boolean pad(LoweringContext op) {
        ValueState in = op.in(0);
        Shape out = op.out().shape();
        String mode = op.attributes().text("mode", "constant");
        ValueState input = op.find(2);
        boolean fits = in.elements() > 0
                && in.type().bits() % Byte.SIZE == 0
                && in.type().bytes(1) <= MOST_BYTES;
        if (!fits) {
            return false;
        }
        long[] begins = begins(op);
        if (begins == null || Arrays.stream(out.toArray()).anyMatch(extent -> extent > LONGEST_AXIS)) {
            return false;
        }
        var runs = new ArrayList<List<PadRun>>();
        for (int i = 0; i < out.rank(); i++) {
            runs.add(PadRun.of(mode, in.shape().dim(i), out.dim(i), begins[i]));
        }
        if (!PadCopies.areFew(runs)) {
            return false;
        }
        if (in.shape().equals(out) && allZero(begins)) {
            return ViewRules.reshape(op);
        }
        ValueState value = op.opset() < PADS_ARE_AN_INPUT_SINCE
                ? op.lowering().constant(Tensor.scalar(op.attributes().real("value", 0)))
                : input;
        if (value != null && value.type() != in.type()) {
            return false;
        }
        op.lowering().defer(op.out(), new PadRoot(op.lowering(), in, out, runs, value));
        return true;
    }

    private static boolean allZero(long[] numbers) {
        for (long number : numbers) {
            if (number != 0) {
                return false;
            }
        }
        return true;
    }

    private static long @Nullable [] begins(LoweringContext op) {
        int rank = op.in(0).shape().rank();
        long[] begins = new long[rank];
        if (op.opset() < PADS_ARE_AN_INPUT_SINCE) {
            long[] pads = op.attributes().integers(op.opset() == 1 ? "paddings" : "pads");
            if (pads == null || pads.length != 2 * rank) {
                return null;
            }
            System.arraycopy(pads, 0, begins, 0, rank);
            return begins;
        }
        long[] pads = op.content(1).longs();
        long[] axes = op.has(3) ? op.content(3).longs() : null;
        int count = axes == null ? rank : axes.length;
        if (pads.length != 2 * count) {
            return null;
        }
        for (int i = 0; i < count; i++) {
            begins[axes == null ? i : Shape.axis(axes[i], rank)] = pads[i];
        }
        return begins;
    }
}
