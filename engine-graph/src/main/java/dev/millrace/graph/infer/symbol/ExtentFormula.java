package dev.millrace.graph.infer.symbol;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToLongFunction;

/**
 * The name of a symbolic extent, parsed as a formula: {@code past_length + 1} is an extent that follows from another
 * one. Equal formulas print equally.
 */
public final class ExtentFormula {
    private final Expression expression;
    private final Set<String> names = new TreeSet<>();

    private ExtentFormula(Expression expression) {
        this.expression = expression;
        expression.atoms().forEach(this::collect);
    }

    public static ExtentFormula of(Dim.Symbol symbol) {
        return new ExtentFormula(ExpressionParser.symbol(symbol.name()));
    }

    private void collect(String atom) {
        List<Expression> arguments = ExpressionParser.arguments(atom);
        if (arguments.isEmpty()) {
            names.add(atom);
        }
        arguments.forEach(argument -> argument.atoms().forEach(this::collect));
    }

    /** The names in the formula, as formulas spell them. */
    public Set<String> names() {
        return Set.copyOf(names);
    }

    /** Whether it is a name and nothing else. */
    public boolean isName() {
        return names.size() == 1
                && expression.equals(Expression.atom(names.iterator().next()));
    }

    /**
     * Evaluates the formula with the extents that {@code extents} gives for its names. The result is exact; throws if
     * it overflows or a divisor is zero (INVALID_ARGUMENT).
     */
    public long value(ToLongFunction<String> extents) {
        return value(expression, extents);
    }

    private static long value(Expression expression, ToLongFunction<String> extents) {
        return expression.value(atom -> {
            List<Expression> arguments = ExpressionParser.arguments(atom);
            if (arguments.isEmpty()) {
                return extents.applyAsLong(atom);
            }
            long a = value(arguments.get(0), extents);
            long b = value(arguments.get(1), extents);
            String function = atom.substring(0, atom.indexOf('('));
            if (b == 0 && (function.endsWith("div") || function.equals("mod"))) {
                throw EngineException.invalidArgument("the extent " + atom + " divides by zero");
            }
            return switch (function) {
                case "floordiv" -> Math.floorDiv(a, b);
                case "ceildiv" -> Math.ceilDiv(a, b);
                case "mod" -> Math.floorMod(a, b);
                case "min" -> Math.min(a, b);
                default -> Math.max(a, b);
            };
        });
    }

    @Override
    public String toString() {
        return expression.toString();
    }
}
