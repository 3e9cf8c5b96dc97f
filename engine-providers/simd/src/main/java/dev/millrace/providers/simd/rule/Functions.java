package dev.millrace.providers.simd.rule;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The unary operators that the vector code generator has a function for. */
final class Functions {
    private Functions() {}

    /** Returns the function of ONNX's operator {@code name}, or null where there is none. */
    static @Nullable Function named(String name) {
        return switch (name) {
            case "Sqrt" -> Function.SQRT;
            case "Reciprocal" -> Function.RECIPROCAL;
            case "Round" -> Function.ROUND;
            case "Floor" -> Function.FLOOR;
            case "Ceil" -> Function.CEIL;
            case "Relu" -> Function.RELU;
            case "Exp" -> Function.EXP;
            case "Log" -> Function.LOG;
            case "Erf" -> Function.ERF;
            case "Tanh" -> Function.TANH;
            case "Sigmoid" -> Function.SIGMOID;
            case "Sin" -> Function.SIN;
            case "Cos" -> Function.COS;
            case "Tan" -> Function.TAN;
            case "Asin" -> Function.ASIN;
            case "Acos" -> Function.ACOS;
            case "Atan" -> Function.ATAN;
            case "Sinh" -> Function.SINH;
            case "Cosh" -> Function.COSH;
            case "Asinh" -> Function.ASINH;
            case "Acosh" -> Function.ACOSH;
            case "Atanh" -> Function.ATANH;
            default -> null;
        };
    }

    /** Returns the function that the {@code activation} attribute of a product names, or null where it is unknown. */
    static @Nullable UnaryOperator<Expr> activation(String name) {
        return switch (name) {
            case "Gelu" -> Expr::gelu;
            case "GeluTanh" -> Formulas::geluTanh;
            case "HardSwish" -> Formulas::hardSwish;
            default -> {
                Function function = named(name);
                yield function == null ? null : x -> x.apply(function);
            }
        };
    }
}
