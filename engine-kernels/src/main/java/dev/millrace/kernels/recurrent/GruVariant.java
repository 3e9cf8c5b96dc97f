package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.expression.Expr;

/**
 * A kind of GRU.
 *
 * @param f of update and reset
 * @param g of the hidden gate
 * @param clipped whether what goes into them is clipped
 * @param resetAfter whether the product of the state is reset rather than the state ({@code linear_before_reset})
 */
public record GruVariant(Expr f, Expr g, boolean clipped, boolean resetAfter) {
    KernelKey key(GruStep.Part part) {
        return new GruStep.Variant(part, f, g, clipped).key();
    }
}
