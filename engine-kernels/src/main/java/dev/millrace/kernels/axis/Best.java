package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;

/**
 * The choice of one element of several. NaN is chosen only if there is nothing else.
 *
 * @param last whether the last of equal elements is chosen
 */
public record Best(Extreme extreme, boolean last) {
    /** The direction of the choice: the largest or the smallest element. */
    public enum Extreme {
        LARGEST,
        SMALLEST
    }

    static final String EXTREME = "extreme";
    static final String LAST = "last";

    KernelKey addTo(KernelKey key) {
        return key.with(EXTREME, extreme).with(LAST, last ? 1 : 0);
    }

    static Best of(KernelKey key) {
        return new Best(key.oneOf(EXTREME, Extreme.values()), key.number(LAST, 0, 1) == 1);
    }

    /** The value that is worse than all others, or as bad. */
    Constant worst() {
        return Constant.of(extreme == Extreme.LARGEST ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY);
    }

    /** The operation that returns the better one of two values. */
    BinaryOp op() {
        return extreme == Extreme.LARGEST ? BinaryOp.MAX : BinaryOp.MIN;
    }

    /** The place that is wanted of two elements that are as good. */
    BinaryOp nearer() {
        return last ? BinaryOp.INT_MAX : BinaryOp.INT_MIN;
    }

    /** The place of no element, which every place is nearer than. */
    Constant noPlace() {
        return Constant.ofBits(last ? -1 : Integer.MAX_VALUE);
    }

    /** Places of elements; where there is none, the place that is wanted of {@code count} NaNs. */
    VectorVar placesOrThatOfNaN(ProgramBuilder builder, VectorVar places, ScalarVar count) {
        ProgramValue ofNaN = Constant.ZERO;
        if (last) {
            ScalarVar end = builder.copy(count, "end");
            builder.advance(end, -1);
            ofNaN = builder.broadcast(end);
        }
        return builder.select(builder.compare(Comparison.INT_EQUAL, places, noPlace()), ofNaN, places);
    }

    private Comparison strictly() {
        return extreme == Extreme.LARGEST ? Comparison.GREATER : Comparison.LESS;
    }

    /** The comparison of a later element with the best one before it that decides whether the later one replaces it. */
    Comparison replaces() {
        if (!last) {
            return strictly();
        }
        return extreme == Extreme.LARGEST ? Comparison.GREATER_OR_EQUAL : Comparison.LESS_OR_EQUAL;
    }
}
