package dev.millrace.providers.simd.rule.common;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Methods that search expressions, and replace parts of them. */
public final class Expressions {
    private Expressions() {}

    /** Returns the direct operands of an expression. */
    static List<Expr> parts(Expr expression) {
        return switch (expression) {
            case Expr.Input _, Expr.Single _, Expr.Literal _ -> List.of();
            case Expr.Apply(var _, Expr argument) -> List.of(argument);
            case Expr.Convert(var _, Expr argument) -> List.of(argument);
            case Expr.Combine(var _, Expr left, Expr right) -> List.of(left, right);
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) -> List.of(condition, then, otherwise);
        };
    }

    /** Whether an expression reads an input. */
    static boolean reads(Expr expression, int input) {
        return expression instanceof Expr.Input(int index, var _) && index == input
                || parts(expression).stream().anyMatch(part -> reads(part, input));
    }

    /** Returns an expression with every occurrence of {@code part} replaced. */
    static Expr replaced(Expr expression, Expr part, Expr by) {
        return mapped(expression, some -> some.equals(part) ? by : null);
    }

    /** Computes an expression over those operands that it reads. */
    public static void materialise(
            PartitionCompiler lowering, ValueState result, Expr expression, List<ValueState> operands) {
        Map<Integer, Integer> places = new TreeMap<>();
        var read = new ArrayList<ValueState>();
        collectInputs(expression, places);
        for (Map.Entry<Integer, Integer> place : places.entrySet()) {
            place.setValue(read.size());
            read.add(operands.get(place.getKey()));
        }
        lowering.defer(
                result,
                read,
                parts -> mapped(
                        expression,
                        some -> some instanceof Expr.Input(int index, var _)
                                ? parts.get(places.getOrDefault(index, 0))
                                : null));
        lowering.materialise(result);
    }

    private static void collectInputs(Expr expression, Map<Integer, Integer> into) {
        if (expression instanceof Expr.Input(int index, var _)) {
            into.put(index, 0);
        }
        parts(expression).forEach(part -> collectInputs(part, into));
    }

    private static Expr mapped(Expr expression, Mapping mapping) {
        Expr other = mapping.of(expression);
        if (other != null) {
            return other;
        }
        UnaryOperator<Expr> deeper = part -> mapped(part, mapping);
        return switch (expression) {
            case Expr.Input _, Expr.Single _, Expr.Literal _ -> expression;
            case Expr.Apply(var function, Expr argument) ->
                deeper.apply(argument).apply(function);
            case Expr.Convert(var kind, Expr argument) -> deeper.apply(argument).to(kind);
            case Expr.Combine(var operator, Expr left, Expr right) ->
                deeper.apply(left).combine(operator, deeper.apply(right));
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                deeper.apply(condition).choose(deeper.apply(then), deeper.apply(otherwise));
        };
    }

    /** A mapping of an expression to its replacement, or null where it stays. */
    private interface Mapping {
        @Nullable
        Expr of(Expr expression);
    }

    /** Returns the argument of an activation; null where the expression is not that activation. */
    static @Nullable Expr argument(Activation activation, Expr expression) {
        Expr argument = switch (activation) {
            case NONE -> expression;
            case RELU, SIGMOID, TANH -> expression instanceof Expr.Apply(FloatFunction _, Expr x) ? x : null;
            case SILU -> expression instanceof Expr.Combine(Operator _, Expr x, Expr _) ? x : null;
            case GELU ->
                expression instanceof Expr.Combine(Operator _, Expr.Combine(Operator _, Expr x, Expr _), Expr _)
                        ? x
                        : null;
        };
        boolean fits = argument != null
                && argument.kind() == Kind.FLOAT
                && activation.of(argument).equals(expression);
        return fits ? argument : null;
    }
}
