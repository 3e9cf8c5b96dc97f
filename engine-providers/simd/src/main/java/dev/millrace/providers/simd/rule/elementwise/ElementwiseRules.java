package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.expression.WideFunction;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Formula;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Functions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The rules of elementwise operators, whose results are deferred and fused with their neighbours. */
public final class ElementwiseRules {
    static final int BROADCASTS_SINCE = 7;

    private ElementwiseRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.ADD -> Int64Rules.or(arithmetic(Operator.ADD), WideFunction.ADD);
            case OpName.SUB -> Int64Rules.or(arithmetic(Operator.SUB), WideFunction.SUB);
            case OpName.MUL -> Int64Rules.or(arithmetic(Operator.MUL), WideFunction.MUL);
            case OpName.DIV -> Int64Rules.or(ElementwiseRules::divide, WideFunction.DIV);
            case OpName.MAX -> Int64Rules.or(variadic(Operator.MAX), WideFunction.MAX);
            case OpName.MIN -> Int64Rules.or(variadic(Operator.MIN), WideFunction.MIN);
            case "Sum" -> Int64Rules.or(variadic(Operator.ADD), WideFunction.ADD);
            case "Mean" -> floats(ElementwiseRules::mean);
            case OpName.POW ->
                op -> VaryingPower.lower(op) || floats(ElementwiseRules::power).lower(op) || wholePower(op);
            case OpName.NEG -> numbers(op -> v -> Formulas.negate(v.getFirst()));
            case OpName.ABS -> numbers(op -> v -> Formulas.abs(v.getFirst()));
            case "Sign" -> numbers(op -> v -> Formulas.sign(v.getFirst()));
            case OpName.EQUAL ->
                Int64Rules.or(
                        op -> equalTruths(op) || comparison(Operator.EQUAL).lower(op), WideFunction.EQUAL);
            case OpName.LESS -> Int64Rules.or(comparison(Operator.LESS), WideFunction.LESS);
            case OpName.LESS_OR_EQUAL -> Int64Rules.or(comparison(Operator.LESS_OR_EQUAL), WideFunction.LESS_OR_EQUAL);
            case OpName.GREATER -> Int64Rules.orReversed(comparison(Operator.GREATER), WideFunction.LESS);
            case OpName.GREATER_OR_EQUAL ->
                Int64Rules.orReversed(comparison(Operator.GREATER_OR_EQUAL), WideFunction.LESS_OR_EQUAL);
            case OpName.AND -> truths(Operator.AND);
            case "Or" -> truths(Operator.OR);
            case "Xor" -> truths(Operator.XOR);
            case "BitwiseAnd" -> bits(op -> BINARY.test(op) ? v -> v.get(0).combine(Operator.AND, v.get(1)) : null);
            case "BitwiseOr" -> bits(op -> BINARY.test(op) ? v -> v.get(0).combine(Operator.OR, v.get(1)) : null);
            case "BitwiseXor" -> bits(op -> BINARY.test(op) ? v -> v.get(0).combine(Operator.XOR, v.get(1)) : null);
            case "BitShift" -> ElementwiseRules::shift;
            case OpName.MOD -> Divisions::rest;
            case "BitwiseNot" -> bits(op -> v -> v.getFirst().combine(Operator.XOR, Expr.integer(ones(op))));
            case "IsNaN" -> floats(op -> v -> Formulas.isNaN(v.getFirst()));
            case "IsInf" -> floats(ElementwiseRules::infinite);
            case OpName.NOT -> op -> defer(op, v -> Formulas.not(v.getFirst()), 1);
            case OpName.WHERE -> ElementwiseRules::where;
            case OpName.CAST, OpName.CAST_LIKE -> ElementwiseRules::cast;
            case OpName.CLIP -> ElementwiseRules::clip;
            default -> function(name);
        };
    }

    private static @Nullable Rule function(String name) {
        FloatFunction function = Functions.named(name);
        if (function == FloatFunction.RELU) {
            return numbers(op -> v -> Formulas.relu(v.getFirst()));
        }
        return function == null ? formula(name) : floats(op -> v -> v.getFirst().apply(function));
    }

    private static @Nullable Rule formula(String name) {
        return switch (name) {
            case "Softplus" -> floats(op -> v -> Formulas.softplus(v.getFirst()));
            case "Softsign" -> floats(op -> v -> Formulas.softsign(v.getFirst()));
            case "Elu" -> floats(op -> v -> Formulas.elu(v.getFirst(), real(op, "alpha", 1)));
            case "HardSwish" -> floats(op -> v -> Formulas.hardSwish(v.getFirst()));
            case "HardSigmoid" ->
                floats(op -> v -> Formulas.hardSigmoid(v.getFirst(), real(op, "alpha", 0.2f), real(op, "beta", 0.5f)));
            case "LeakyRelu" ->
                floats(op -> v -> Formulas.leakyRelu(v.getFirst(), Expr.number(real(op, "alpha", 0.01f))));
            case "PRelu" -> numbers(op -> BINARY.test(op) ? v -> Formulas.leakyRelu(v.get(0), v.get(1)) : null);
            case "ThresholdedRelu" -> floats(op -> v -> Formulas.thresholdedRelu(v.getFirst(), real(op, "alpha", 1)));
            case OpName.GELU -> floats(ElementwiseRules::gelu);
            case "Swish" -> floats(op -> v -> swish(v.getFirst(), real(op, "alpha", 1)));
            default -> null;
        };
    }

    /** A choice of a node's formula, or null where there is none for it. */
    private interface Choice {
        @Nullable
        Formula of(LoweringContext op);
    }

    private static final Predicate<LoweringContext> BINARY = op -> op.opset() >= BROADCASTS_SINCE && op.inputs() == 2;

    private static float real(LoweringContext op, String name, float otherwise) {
        return op.attributes().real(name, otherwise);
    }

    private static Expr swish(Expr x, float alpha) {
        Expr inner = alpha == 1 ? x : x.times(Expr.number(alpha));
        return x.times(inner.apply(FloatFunction.SIGMOID));
    }

    /**
     * Whether a node depends on its input. An IsInf that looks for neither infinity does not, and is left to the
     * fallback.
     */
    public static boolean suits(Node node) {
        return !node.is("IsInf")
                || node.attributes().flag("detect_positive", true)
                || node.attributes().flag("detect_negative", true);
    }

    private static Formula infinite(LoweringContext op) {
        boolean positive = op.attributes().flag("detect_positive", true);
        boolean negative = op.attributes().flag("detect_negative", true);
        return v -> Formulas.isInfinite(v.getFirst(), positive, negative);
    }

    private static Formula gelu(LoweringContext op) {
        boolean tanh = op.attributes().text("approximate", "none").equals("tanh");
        return v -> tanh ? Formulas.geluTanh(v.getFirst()) : Expr.gelu(v.getFirst());
    }

    private static @Nullable Formula power(LoweringContext op) {
        if (!BINARY.test(op)) {
            return null;
        }
        Tensor exponent = op.in(1).known();
        boolean single = op.in(1).elements() == 1
                && op.in(1).shape().rank() <= op.in(0).shape().rank();
        double number = exponent != null && single ? exponent.doubles()[0] : Double.NaN;
        if (number == 2) {
            return v -> v.getFirst().times(v.getFirst());
        }
        if (number == 3) {
            return v -> v.getFirst().times(v.getFirst()).times(v.getFirst());
        }
        if (number == 0.5) {
            return v -> v.getFirst().apply(FloatFunction.SQRT);
        }
        return v -> v.get(0).combine(Operator.POWER, v.get(1));
    }

    /** Lowers powers of floats by ints, which are converted to floats first. */
    private static boolean wholePower(LoweringContext op) {
        if (!BINARY.test(op) || !op.in(0).isFloat() || op.in(1).type().isFloating()) {
            return false;
        }
        ValueState exponents =
                op.lowering().part(op.out(), ElementType.FLOAT, op.in(1).shape());
        if (!CastRules.cast(op, op.in(1), exponents)) {
            return false;
        }
        op.lowering()
                .defer(op.out(), List.of(op.in(0), exponents), v -> v.get(0).combine(Operator.POWER, v.get(1)));
        return true;
    }

    /** Returns a rule for floats of 16 and 32 bits. */
    private static Rule floats(Choice choice) {
        return op -> {
            for (int i = 0; i < op.inputs(); i++) {
                if (!op.has(i) || !isFloat(op.in(i).type())) {
                    return false;
                }
            }
            Formula formula = choice.of(op);
            return formula != null && defer(op, formula, op.inputs());
        };
    }

    private static boolean isFloat(ElementType type) {
        return type == ElementType.FLOAT || type == ElementType.FLOAT16 || type == ElementType.BFLOAT16;
    }

    /**
     * Defers a function of two ints of up to 32 bits. Narrow results are stored at once, since they wrap around in
     * memory.
     */
    static boolean ints(LoweringContext op, Formula formula) {
        for (int i = 0; i < op.inputs(); i++) {
            if (!op.has(i) || !isInt(op.in(i).type())) {
                return false;
            }
        }
        if (!BINARY.test(op) || !defer(op, formula, 2)) {
            return false;
        }
        if (op.out().type() != ElementType.INT32) {
            op.lowering().dense(op.out());
        }
        return true;
    }

    /**
     * Returns a rule for floats and for ints of up to 32 bits. Narrow ints are stored at once, since they wrap around
     * in memory.
     */
    private static Rule numbers(Choice choice) {
        return op -> {
            for (int i = 0; i < op.inputs(); i++) {
                if (!op.has(i) || !isFloat(op.in(i).type()) && !isInt(op.in(i).type())) {
                    return false;
                }
            }
            Formula formula = choice.of(op);
            if (formula == null || !defer(op, formula, op.inputs())) {
                return false;
            }
            if (isInt(op.out().type()) && op.out().type() != ElementType.INT32) {
                op.lowering().dense(op.out());
            }
            return true;
        };
    }

    /**
     * Returns a rule for bitwise functions of ints. Narrow ints that are widened to 32 bits stay in the range of their
     * type.
     */
    private static Rule bits(Choice choice) {
        return op -> {
            Formula formula = isInt(op.out().type()) ? choice.of(op) : null;
            return formula != null && defer(op, formula, op.inputs());
        };
    }

    private static boolean isInt(ElementType type) {
        DataType data = DataTypes.find(type);
        return data != null && data.kind() == Kind.INT;
    }

    /** Lowers shifts of the narrow unsigned types, whose elements are far from the limits of 32-bit ints. */
    private static boolean shift(LoweringContext op) {
        ElementType type = op.in(0).type();
        if (type != ElementType.UINT8 && type != ElementType.UINT16) {
            return false;
        }
        boolean left = op.attributes().text("direction", "").equals("LEFT");
        return ints(op, v -> left ? Formulas.shiftLeft(v.get(0), v.get(1)) : Formulas.shiftRight(v.get(0), v.get(1)));
    }

    private static int ones(LoweringContext op) {
        return switch (op.out().type()) {
            case UINT8 -> 0xff;
            case UINT16 -> 0xffff;
            default -> -1;
        };
    }

    private static Rule arithmetic(Operator operator) {
        return numbers(op -> BINARY.test(op) ? v -> v.get(0).combine(operator, v.get(1)) : null);
    }

    private static Rule variadic(Operator operator) {
        return numbers(op -> {
            if (op.opset() < BROADCASTS_SINCE + 1 || op.inputs() > Expr.MAX_INPUTS) {
                return null;
            }
            return v -> {
                Expr result = v.getFirst();
                for (Expr next : v.subList(1, v.size())) {
                    result = result.combine(operator, next);
                }
                return result;
            };
        });
    }

    private static @Nullable Formula mean(LoweringContext op) {
        if (op.opset() < BROADCASTS_SINCE + 1 || op.inputs() > Expr.MAX_INPUTS) {
            return null;
        }
        Expr part = Expr.number((float) (1.0 / op.inputs()));
        return v -> v.stream().reduce(Expr::plus).orElseThrow().times(part);
    }

    private static Rule comparison(Operator operator) {
        return op -> BINARY.test(op)
                && DataTypes.find(op.in(0).type()) != null
                && DataTypes.find(op.in(1).type()) != null
                && op.in(0).type() != ElementType.BOOL
                && defer(op, v -> v.get(0).combine(operator, v.get(1)), 2);
    }

    private static boolean equalTruths(LoweringContext op) {
        boolean truths = op.in(0).type() == ElementType.BOOL && op.in(1).type() == ElementType.BOOL;
        return truths && BINARY.test(op) && defer(op, v -> Formulas.not(v.get(0).combine(Operator.XOR, v.get(1))), 2);
    }

    private static boolean divide(LoweringContext op) {
        return isInt(op.out().type())
                ? Divisions.quotient(op)
                : floats(some -> BINARY.test(some) ? v -> v.get(0).over(v.get(1)) : null)
                        .lower(op);
    }

    private static Rule truths(Operator operator) {
        return op -> BINARY.test(op) && defer(op, v -> v.get(0).combine(operator, v.get(1)), 2);
    }

    private static boolean where(LoweringContext op) {
        for (int i = 1; i < 3; i++) {
            if (DataTypes.find(op.in(i).type()) == null) {
                return MaskedCopyRules.where(op);
            }
        }
        return defer(op, v -> v.get(0).choose(v.get(1), v.get(2)), 3);
    }

    private static boolean clip(LoweringContext op) {
        boolean isFloat = isFloat(op.in(0).type());
        if (!isFloat && (op.opset() < 12 || !isInt(op.in(0).type()))) {
            return false;
        }
        if (op.opset() < 11) {
            Expr least = Expr.number(real(op, "min", -Float.MAX_VALUE));
            Expr most = Expr.number(real(op, "max", Float.MAX_VALUE));
            return defer(op, v -> Formulas.clip(v.getFirst(), least, most), 1);
        }
        boolean low = op.has(1);
        boolean high = op.has(2);
        var operands = new ArrayList<ValueState>();
        operands.add(op.in(0));
        if (low) {
            operands.add(op.in(1));
        }
        if (high) {
            operands.add(op.in(2));
        }
        op.lowering().defer(op.out(), operands, v -> {
            Expr result = low ? v.get(0).max(v.get(1)) : v.getFirst();
            return high ? result.min(v.getLast()) : result;
        });
        return true;
    }

    /**
     * Lowers casts between types that expressions read. The kernels' own cast does those that have to treat numbers out
     * of range.
     */
    private static boolean cast(LoweringContext op) {
        ElementType from = op.in(0).type();
        ElementType to = op.out().type();
        if (DataTypes.find(from) == null || DataTypes.find(to) == null) {
            return CastRules.lower(op);
        }
        boolean widens = isFloat(to) || to == ElementType.BOOL || to == ElementType.INT32 && !isFloat(from);
        if (!widens) {
            return CastRules.lower(op);
        }
        Kind kind = DataTypes.of(to).kind();
        return defer(op, v -> v.getFirst().to(kind), 1);
    }

    private static boolean defer(LoweringContext op, Formula formula, int count) {
        var operands = new ArrayList<ValueState>();
        for (int i = 0; i < count; i++) {
            ValueState cell = op.in(i);
            if (DataTypes.find(cell.type()) == null) {
                return false;
            }
            operands.add(cell);
        }
        if (DataTypes.find(op.out().type()) == null) {
            return false;
        }
        op.lowering().defer(op.out(), operands, formula);
        return true;
    }
}
