package dev.millrace.graph.infer.rule;

import dev.millrace.graph.infer.symbol.Expression;
import dev.millrace.graph.infer.symbol.ExpressionParser;
import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/** Arithmetic on extents: exact where they are known, expressions where they have names. */
final class Dims {
    static final Dim ZERO = Dim.of(0);
    static final Dim ONE = Dim.of(1);

    private Dims() {}

    static List<Dim> of(long... extents) {
        var dims = new ArrayList<Dim>(extents.length);
        for (long extent : extents) {
            dims.add(Dim.of(extent));
        }
        return dims;
    }

    static List<Dim> unknown(int rank) {
        return Collections.nCopies(rank, Dim.UNKNOWN);
    }

    static Dim add(Dim a, Dim b) {
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return exactly(x, "+", y, Math::addExact);
        }
        return a.is(0) ? b : b.is(0) ? a : symbolic(a, b, Expression::plus);
    }

    private static Dim exactly(Dim.Known a, String sign, Dim.Known b, LongBinaryOperator operation) {
        try {
            return Dim.of(operation.applyAsLong(a.extent(), b.extent()));
        } catch (ArithmeticException e) {
            throw new ArithmeticException(a + " " + sign + " " + b);
        }
    }

    static Dim add(Dim a, long b) {
        return add(a, Dim.of(b));
    }

    static Dim sub(Dim a, Dim b) {
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return exactly(x, "-", y, Math::subtractExact);
        }
        return b.is(0) ? a : symbolic(a, b, Expression::minus);
    }

    static Dim mul(Dim a, Dim b) {
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return exactly(x, "*", y, Math::multiplyExact);
        }
        if (a.is(0) || b.is(0)) {
            return ZERO;
        }
        return a.is(1) ? b : b.is(1) ? a : symbolic(a, b, Expression::times);
    }

    static Dim mul(Dim a, long b) {
        return mul(a, Dim.of(b));
    }

    static Dim product(List<Dim> dims) {
        Dim product = ONE;
        for (Dim dim : dims) {
            product = mul(product, dim);
        }
        return product;
    }

    /** Returns the quotient where there is no remainder for any choice of extents, or null. */
    static @Nullable Dim divideExactly(Dim a, Dim b) {
        if (b.is(1)) {
            return a;
        }
        if (b.is(0)) {
            return null;
        }
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return x.extent() % y.extent() == 0 ? Dim.of(x.extent() / y.extent()) : null;
        }
        Expression x = Expression.of(a);
        Expression y = Expression.of(b);
        Expression quotient = x == null || y == null ? null : x.dividedExactly(y);
        return quotient == null ? null : quotient.toDim();
    }

    /** Returns the quotient rounded down; unknown where a known divisor is zero or negative. */
    static Dim floorDiv(Dim a, Dim b) {
        Dim exact = divideExactly(a, b);
        if (exact != null) {
            return exact;
        }
        if (b instanceof Dim.Known y) {
            if (y.extent() <= 0) {
                return Dim.UNKNOWN;
            }
            if (a instanceof Dim.Known x) {
                return Dim.of(Math.floorDiv(x.extent(), y.extent()));
            }
            return symbolic(a, b, (x, _) -> x.dividedDown(y.extent()));
        }
        return symbolic(a, b, (x, y) -> Expression.call("floordiv", x, y));
    }

    static Dim floorDiv(Dim a, long b) {
        return floorDiv(a, Dim.of(b));
    }

    static Dim ceilDiv(Dim a, long b) {
        return floorDiv(add(a, b - 1), b);
    }

    static Dim mod(Dim a, Dim b) {
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return y.extent() == 0 ? Dim.UNKNOWN : Dim.of(Math.floorMod(x.extent(), y.extent()));
        }
        return divideExactly(a, b) != null ? ZERO : symbolic(a, b, (x, y) -> Expression.call("mod", x, y));
    }

    static Dim min(Dim a, Dim b) {
        return extreme(a, b, "min");
    }

    static Dim max(Dim a, Dim b) {
        return extreme(a, b, "max");
    }

    private static Dim extreme(Dim a, Dim b, String function) {
        boolean smaller = function.equals("min");
        if (a instanceof Dim.Known x && b instanceof Dim.Known y) {
            return (x.extent() <= y.extent()) == smaller ? a : b;
        }
        Dim difference = sub(a, b);
        if (isNeverNegative(difference)) {
            return smaller ? b : a;
        }
        if (isNeverNegative(sub(b, a))) {
            return smaller ? a : b;
        }
        Dim joined = joined(a, b, function);
        if (joined == null) {
            joined = joined(b, a, function);
        }
        return joined != null
                ? joined
                : symbolic(a, b, (x, y) -> {
                    boolean ordered = x.toString().compareTo(y.toString()) <= 0;
                    return Expression.call(function, ordered ? x : y, ordered ? y : x);
                });
    }

    /** Merges a constant into a minimum or maximum that has a constant argument already; null where it has none. */
    private static @Nullable Dim joined(Dim constant, Dim extreme, String function) {
        if (constant.isKnown()) {
            List<Expression> arguments = arguments(extreme, function);
            for (int i = 0; i < arguments.size(); i++) {
                if (arguments.get(i).isConstant()) {
                    Dim both = extreme(constant, arguments.get(i).toDim(), function);
                    return extreme(both, arguments.get(1 - i).toDim(), function);
                }
            }
        }
        return null;
    }

    /** Returns the arguments of {@code function} if {@code dim} is a call of it, else an empty list. */
    private static List<Expression> arguments(Dim dim, String function) {
        return dim instanceof Dim.Symbol symbol
                        && symbol.name().startsWith(function + "(")
                        && Expression.atom(symbol.name()).equals(Expression.of(dim))
                ? ExpressionParser.arguments(symbol.name())
                : List.of();
    }

    static boolean isNeverNegative(Dim dim) {
        if (dim instanceof Dim.Known known) {
            return known.extent() >= 0;
        }
        Expression expression = Expression.of(dim);
        return expression != null && expression.isNeverNegative();
    }

    private static Dim symbolic(Dim a, Dim b, BiFunction<Expression, Expression, Expression> operation) {
        Expression x = Expression.of(a);
        Expression y = Expression.of(b);
        if (x == null || y == null) {
            return Dim.UNKNOWN;
        }
        try {
            return operation.apply(x, y).toDim();
        } catch (ArithmeticException tooLarge) {
            return Dim.UNKNOWN;
        }
    }

    /** Whether both are known and different. */
    static boolean differ(Dim a, Dim b) {
        return a instanceof Dim.Known x && b instanceof Dim.Known y && x.extent() != y.extent();
    }

    /** Whether both are certainly the same extent. */
    static boolean same(Dim a, Dim b) {
        if (a == Dim.UNKNOWN || b == Dim.UNKNOWN) {
            return false;
        }
        if (a instanceof Dim.Known x) {
            return b.is(x.extent());
        }
        if (a instanceof Dim.Symbol x && b instanceof Dim.Symbol y) {
            return x.name().equals(y.name()) || sub(a, b).is(0);
        }
        return false;
    }

    /** Returns the extent to which two broadcast by numpy's rule, or null where they do not. */
    static @Nullable Dim broadcast(Dim a, Dim b) {
        if (a.is(1)) {
            return b;
        }
        if (b.is(1)) {
            return a;
        }
        if (a.isKnown()) {
            return differ(a, b) ? null : a;
        }
        if (b.isKnown()) {
            return b;
        }
        if (same(a, b) || isMinimumWith(b, a)) {
            return a;
        }
        return isMinimumWith(a, b) ? b : Dim.UNKNOWN;
    }

    /**
     * Whether {@code a} is the minimum of {@code b} and a positive constant: if they broadcast at all, then to {@code
     * b}.
     */
    private static boolean isMinimumWith(Dim a, Dim b) {
        Expression other = Expression.of(b);
        List<Expression> arguments = arguments(a, "min");
        return arguments.stream().anyMatch(argument -> argument.isConstant() && argument.constant() > 0)
                && arguments.stream().anyMatch(argument -> argument.equals(other));
    }

    /**
     * Returns the shape to which two shapes broadcast, null where it is not known; throws where they do not broadcast.
     */
    static @Nullable List<Dim> broadcast(@Nullable List<Dim> a, @Nullable List<Dim> b, InferenceContext context) {
        if (a == null || b == null) {
            return null;
        }
        int rank = Math.max(a.size(), b.size());
        var dims = new ArrayList<Dim>(rank);
        for (int i = 0; i < rank; i++) {
            Dim x = i < rank - a.size() ? ONE : a.get(i - rank + a.size());
            Dim y = i < rank - b.size() ? ONE : b.get(i - rank + b.size());
            Dim dim = broadcast(x, y);
            if (dim == null) {
                throw context.refuse("shapes " + a + " and " + b + " do not broadcast");
            }
            dims.add(dim);
        }
        return dims;
    }

    /** Returns the more precise of two descriptions of one extent; throws where they contradict. */
    static Dim meet(Dim a, Dim b, InferenceContext context) {
        if (differ(a, b)) {
            throw context.refuse("extents " + a + " and " + b + " have to be equal");
        }
        return b.isKnown() || a == Dim.UNKNOWN ? b : a;
    }

    /** Returns the common description of two alternative extents: either if they are the same, else unknown. */
    static Dim join(Dim a, Dim b) {
        return same(a, b) ? a : Dim.UNKNOWN;
    }
}
