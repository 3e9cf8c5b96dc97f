package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Formula;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.RunChecks;
import java.util.Arrays;
import java.util.List;

/**
 * The rules of divisions of ints up to 32 bits. A zero divisor is an error, which is checked before anything is
 * divided.
 */
final class Divisions {
    private Divisions() {}

    static boolean quotient(LoweringContext op) {
        return divide(op, v -> v.get(0).over(v.get(1)));
    }

    /** Lowers Mod. The remainder has the sign of the divisor, or with {@code fmod} that of the dividend, as in C. */
    static boolean rest(LoweringContext op) {
        boolean likeC = op.attributes().flag("fmod", false);
        return divide(
                op, v -> likeC ? v.get(0).combine(Operator.REMAINDER, v.get(1)) : Formulas.modulo(v.get(0), v.get(1)));
    }

    private static boolean divide(LoweringContext op, Formula formula) {
        ValueState divisor = op.in(1);
        if (!suits(op.in(0)) || !suits(divisor)) {
            return false;
        }
        Tensor known = divisor.known();
        if (known == null) {
            addCheck(op, divisor);
        } else if (Arrays.stream(known.longs()).anyMatch(number -> number == 0)) {
            return false;
        }
        return ElementwiseRules.ints(op, formula);
    }

    private static boolean suits(ValueState cell) {
        return DataTypes.find(cell.type()) != null
                && DataTypes.of(cell.type()).kind() == Kind.INT
                && cell.elements() > 0;
    }

    private static void addCheck(LoweringContext op, ValueState divisor) {
        ValueState isDivisor = op.lowering().part(op.out(), ElementType.INT32, divisor.shape());
        op.lowering()
                .defer(
                        isDivisor,
                        List.of(divisor),
                        v -> v.getFirst()
                                .combine(Operator.NOT_EQUAL, Expr.integer(0))
                                .to(Kind.INT));
        RunChecks.addAtLeast(op, isDivisor, 1, "integer division by zero");
    }
}
