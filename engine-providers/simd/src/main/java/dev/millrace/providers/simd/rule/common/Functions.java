package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.op.OpName;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Formulas;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The unary operators that the vector code generator has a function for. */
public final class Functions {
    private Functions() {}

    /** Returns the function of ONNX's operator {@code name}, or null where there is none. */
    public static @Nullable FloatFunction named(String name) {
        return switch (name) {
            case OpName.SQRT -> FloatFunction.SQRT;
            case "Reciprocal" -> FloatFunction.RECIPROCAL;
            case "Round" -> FloatFunction.ROUND;
            case "Floor" -> FloatFunction.FLOOR;
            case "Ceil" -> FloatFunction.CEIL;
            case "Relu" -> FloatFunction.RELU;
            case "Exp" -> FloatFunction.EXP;
            case "Log" -> FloatFunction.LOG;
            case "Erf" -> FloatFunction.ERF;
            case OpName.TANH -> FloatFunction.TANH;
            case OpName.SIGMOID -> FloatFunction.SIGMOID;
            case "Sin" -> FloatFunction.SIN;
            case "Cos" -> FloatFunction.COS;
            case "Tan" -> FloatFunction.TAN;
            case "Asin" -> FloatFunction.ASIN;
            case "Acos" -> FloatFunction.ACOS;
            case "Atan" -> FloatFunction.ATAN;
            case "Sinh" -> FloatFunction.SINH;
            case "Cosh" -> FloatFunction.COSH;
            case "Asinh" -> FloatFunction.ASINH;
            case "Acosh" -> FloatFunction.ACOSH;
            case "Atanh" -> FloatFunction.ATANH;
            default -> null;
        };
    }

    /** Returns the function that the {@code activation} attribute of a product names, or null where it is unknown. */
    public static @Nullable UnaryOperator<Expr> activation(String name) {
        return switch (name) {
            case OpName.GELU -> Expr::gelu;
            case "GeluTanh" -> Formulas::geluTanh;
            case "HardSwish" -> Formulas::hardSwish;
            default -> {
                FloatFunction function = named(name);
                yield function == null ? null : x -> x.apply(function);
            }
        };
    }
}
