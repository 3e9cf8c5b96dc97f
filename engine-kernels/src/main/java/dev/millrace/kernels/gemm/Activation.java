package dev.millrace.kernels.gemm;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.util.List;

/** The activation function that is applied to each element of a product before its final store. */
public enum Activation {
    NONE,
    RELU,
    GELU,
    SILU,
    SIGMOID,
    TANH;

    public static final List<Activation> ALL = List.of(values());

    /** The activations that need no more than a comparison. */
    public static final List<Activation> SIMPLE = List.of(NONE, RELU);

    public Expr of(Expr x) {
        return switch (this) {
            case NONE -> x;
            case RELU -> x.apply(FloatFunction.RELU);
            case GELU -> Expr.gelu(x);
            case SILU -> Expr.silu(x);
            case SIGMOID -> x.apply(FloatFunction.SIGMOID);
            case TANH -> x.apply(FloatFunction.TANH);
        };
    }
}
