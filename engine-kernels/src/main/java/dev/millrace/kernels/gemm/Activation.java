package dev.millrace.kernels.gemm;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Function;

/** What is done to each element of a product before it is written for the last time. */
public enum Activation {
    NONE,
    RELU,
    GELU,
    SILU,
    SIGMOID,
    TANH;

    public Expr of(Expr x) {
        return switch (this) {
            case NONE -> x;
            case RELU -> x.apply(Function.RELU);
            case GELU -> Expr.gelu(x);
            case SILU -> Expr.silu(x);
            case SIGMOID -> x.apply(Function.SIGMOID);
            case TANH -> x.apply(Function.TANH);
        };
    }
}
