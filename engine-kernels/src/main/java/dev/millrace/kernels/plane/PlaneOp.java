package dev.millrace.kernels.plane;

import dev.millrace.kernels.expression.Expr;
import org.jspecify.annotations.Nullable;

/**
 * What is done with the elements under a window.
 *
 * @param kind how they are put together
 * @param each what an element goes through before it is added; for sums only
 * @param after what the result goes through: input 0 is the result, input 1 the residual
 * @param counts what sums are divided by, or null where they are not
 */
public record PlaneOp(
        Kind kind, Expr each, Expr after, @Nullable Counts counts) {
    /** How elements are put together. */
    public enum Kind {
        /** The sum of products with the weights of their taps, and the bias. */
        WEIGHTED,
        MAX,
        SUM
    }

    /** How many elements count for an average: those of the row times those of the column. */
    public interface Counts {
        long ofRow(int plane, int row);

        int ofColumn(int column);
    }

    public static PlaneOp weighted(Expr after) {
        return new PlaneOp(Kind.WEIGHTED, Expr.input(0), after, null);
    }
}
