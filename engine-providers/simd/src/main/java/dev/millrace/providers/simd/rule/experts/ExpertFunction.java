package dev.millrace.providers.simd.rule.experts;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Formulas;
import org.jspecify.annotations.Nullable;

/** The activation between the layers of an expert as an expression: of results, or of gates and values. */
final class ExpertFunction {
    private ExpertFunction() {}

    /** Returns the activation of a node; null where it has an unknown name. */
    static @Nullable Expr of(Attributes attributes, boolean gated) {
        boolean swiglu = attributes.text("activation_type", "relu").equals("swiglu");
        Expr gate = Expr.input(0);
        float limit = swiglu ? attributes.real("swiglu_limit", Float.POSITIVE_INFINITY) : Float.POSITIVE_INFINITY;
        if (limit < Float.POSITIVE_INFINITY) {
            gate = gate.min(Expr.number(limit));
        }
        Expr function = function(attributes, gate);
        if (function == null || !gated) {
            return function;
        }
        Expr value = Expr.input(1);
        if (limit < Float.POSITIVE_INFINITY) {
            value = value.min(Expr.number(limit)).max(Expr.number(-limit));
        }
        float shift = swiglu ? attributes.real("activation_beta", 0) : 0;
        return function.times(shift == 0 ? value : value.plus(Expr.number(shift)));
    }

    private static @Nullable Expr function(Attributes attributes, Expr x) {
        return switch (attributes.text("activation_type", "relu")) {
            case "relu" -> Formulas.relu(x);
            case "gelu" -> Formulas.geluTanh(x);
            case "silu" -> Expr.silu(x);
            case "identity" -> x;
            case "swiglu" -> {
                Expr slope = Expr.number(attributes.real("activation_alpha", 1));
                yield x.times(x.times(slope).apply(FloatFunction.SIGMOID));
            }
            default -> null;
        };
    }
}
