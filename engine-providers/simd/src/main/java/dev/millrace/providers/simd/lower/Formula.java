package dev.millrace.providers.simd.lower;

import dev.millrace.kernels.expression.Expr;
import java.util.List;

/** Makes the expression of an elementwise operator from those of its operands. */
@FunctionalInterface
public interface Formula {
    Expr of(List<Expr> operands);
}
