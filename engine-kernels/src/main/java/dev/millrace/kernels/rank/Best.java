package dev.millrace.kernels.rank;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;

/**
 * Which element of several is wanted. NaN is not, unless there is nothing else but the infinity that is worst.
 *
 * @param last whether of equal ones it is the last
 */
public record Best(Extreme extreme, boolean last) {
    /** The largest or the smallest. */
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

    /** What is worse than all, or as bad. */
    Constant worst() {
        return Constant.of(extreme == Extreme.LARGEST ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY);
    }

    /** The better one of two. */
    BinaryOp op() {
        return extreme == Extreme.LARGEST ? BinaryOp.MAX : BinaryOp.MIN;
    }

    private Comparison strictly() {
        return extreme == Extreme.LARGEST ? Comparison.GREATER : Comparison.LESS;
    }

    /** How a later element compares with the best one before if it takes its place. */
    Comparison replaces() {
        if (!last) {
            return strictly();
        }
        return extreme == Extreme.LARGEST ? Comparison.GREATER_OR_EQUAL : Comparison.LESS_OR_EQUAL;
    }
}
