package dev.millrace.graph.infer.symbol;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A polynomial with whole coefficients over the names of symbols. Equal expressions print equally, so that a symbol's
 * name can be its expression. Symbols are extents: they are never negative.
 */
public final class Expression {
    private static final int LONGEST = 200;

    /**
     * The order of terms, the constant last. It is a class, not a lambda, so that the first expression links no lambda.
     */
    private static final class Order implements Comparator<List<String>> {
        @Override
        public int compare(List<String> one, List<String> other) {
            int constantLast = Boolean.compare(one.isEmpty(), other.isEmpty());
            return constantLast != 0 ? constantLast : String.join("*", one).compareTo(String.join("*", other));
        }
    }

    /** The coefficients by product of atoms; the constant's product is empty. No coefficient is zero. */
    private final TreeMap<List<String>, Long> terms = new TreeMap<>(new Order());

    private Expression() {}

    static Expression constant(long value) {
        var expression = new Expression();
        expression.add(List.of(), value);
        return expression;
    }

    public static Expression atom(String atom) {
        var expression = new Expression();
        expression.add(List.of(atom), 1);
        return expression;
    }

    /** Returns the expression of {@code dim}, or null where it is unknown. */
    public static @Nullable Expression of(Dim dim) {
        if (dim instanceof Dim.Known known) {
            return constant(known.extent());
        }
        return dim instanceof Dim.Symbol symbol ? ExpressionParser.symbol(symbol.name()) : null;
    }

    public Dim toDim() {
        if (isConstant()) {
            return Dim.of(constant());
        }
        String text = toString();
        if (text.length() > LONGEST) {
            return Dim.UNKNOWN;
        }
        boolean quoted = text.startsWith("`") && text.indexOf('`', 1) == text.length() - 1;
        return Dim.symbol(quoted ? text.substring(1, text.length() - 1) : text);
    }

    private void add(List<String> atoms, long coefficient) {
        long sum = Math.addExact(terms.getOrDefault(atoms, 0L), coefficient);
        if (sum == 0) {
            terms.remove(atoms);
        } else {
            terms.put(atoms, sum);
        }
    }

    public boolean isConstant() {
        return terms.isEmpty() || terms.size() == 1 && terms.firstKey().isEmpty();
    }

    /** The term without symbols. */
    public long constant() {
        return terms.getOrDefault(List.of(), 0L);
    }

    /** The factors of all terms, each once. */
    Set<String> atoms() {
        var atoms = new TreeSet<String>();
        terms.keySet().forEach(atoms::addAll);
        return atoms;
    }

    /** Evaluates this expression with the value that {@code values} gives for each atom. */
    long value(ToLongFunction<String> values) {
        long sum = 0;
        for (Map.Entry<List<String>, Long> term : terms.entrySet()) {
            long product = term.getValue();
            for (String atom : term.getKey()) {
                product = Math.multiplyExact(product, values.applyAsLong(atom));
            }
            sum = Math.addExact(sum, product);
        }
        return sum;
    }

    /** Whether all coefficients are positive, so that no choice of extents makes this negative. */
    public boolean isNeverNegative() {
        return terms.values().stream().allMatch(coefficient -> coefficient > 0);
    }

    public Expression plus(Expression other) {
        return plus(other, 1);
    }

    public Expression minus(Expression other) {
        return plus(other, -1);
    }

    private Expression plus(Expression other, long factor) {
        var sum = new Expression();
        sum.terms.putAll(terms);
        other.terms.forEach((atoms, coefficient) -> sum.add(atoms, Math.multiplyExact(coefficient, factor)));
        return sum;
    }

    public Expression times(Expression other) {
        var product = new Expression();
        for (Map.Entry<List<String>, Long> a : terms.entrySet()) {
            for (Map.Entry<List<String>, Long> b : other.terms.entrySet()) {
                var atoms = new ArrayList<>(a.getKey());
                atoms.addAll(b.getKey());
                Collections.sort(atoms);
                product.add(List.copyOf(atoms), Math.multiplyExact(a.getValue(), b.getValue()));
            }
        }
        return product;
    }

    /** Divides this by {@code divisor} if there is no remainder for any choice of extents; null otherwise. */
    @Nullable
    public Expression dividedExactly(Expression divisor) {
        if (divisor.terms.isEmpty()) {
            return null;
        }
        if (divisor.terms.size() > 1) {
            return ratio(divisor);
        }
        Map.Entry<List<String>, Long> by = divisor.terms.firstEntry();
        var quotient = new Expression();
        for (Map.Entry<List<String>, Long> term : terms.entrySet()) {
            var atoms = new ArrayList<>(term.getKey());
            for (String atom : by.getKey()) {
                if (!atoms.remove(atom)) {
                    return null;
                }
            }
            if (term.getValue() % by.getValue() != 0) {
                return null;
            }
            quotient.add(List.copyOf(atoms), term.getValue() / by.getValue());
        }
        return quotient;
    }

    /** Returns the single term whose product with {@code divisor} is this expression, or null. */
    private @Nullable Expression ratio(Expression divisor) {
        if (terms.isEmpty()) {
            return this;
        }
        for (Map.Entry<List<String>, Long> term : terms.entrySet()) {
            var candidate = new Expression();
            candidate.terms.put(term.getKey(), term.getValue());
            var lead = new Expression();
            lead.terms.put(divisor.terms.firstKey(), divisor.terms.firstEntry().getValue());
            Expression quotient = candidate.dividedExactly(lead);
            if (quotient != null && quotient.times(divisor).terms.equals(terms)) {
                return quotient;
            }
        }
        return null;
    }

    /** Divides this by {@code divisor}, which is positive, and rounds down. */
    public Expression dividedDown(long divisor) {
        var whole = new Expression();
        var rest = new Expression();
        terms.forEach((atoms, coefficient) -> {
            if (atoms.isEmpty()) {
                whole.add(atoms, Math.floorDiv(coefficient, divisor));
                rest.add(atoms, Math.floorMod(coefficient, divisor));
            } else if (coefficient % divisor == 0) {
                whole.add(atoms, coefficient / divisor);
            } else {
                rest.add(atoms, coefficient);
            }
        });
        if (rest.isConstant()) {
            return whole;
        }
        Expression nested = rest.asDivisionDividedBy(divisor);
        return whole.plus(nested != null ? nested : call("floordiv", rest, constant(divisor)));
    }

    /**
     * Simplifies {@code floor((floor(x/a)+c)/b)} to {@code floor((x+a*c)/(a*b))}; null where this is no such
     * expression.
     */
    private @Nullable Expression asDivisionDividedBy(long divisor) {
        Expression division = minus(constant(constant()));
        if (division.terms.size() != 1 || division.terms.firstEntry().getValue() != 1) {
            return null;
        }
        List<String> atoms = division.terms.firstKey();
        if (atoms.size() != 1 || !atoms.getFirst().startsWith("floordiv(")) {
            return null;
        }
        List<Expression> arguments = ExpressionParser.arguments(atoms.getFirst());
        if (arguments.size() != 2
                || !arguments.get(1).isConstant()
                || arguments.get(1).constant() <= 0) {
            return null;
        }
        long inner = arguments.get(1).constant();
        return arguments
                .get(0)
                .plus(constant(Math.multiplyExact(inner, constant())))
                .dividedDown(Math.multiplyExact(inner, divisor));
    }

    /** Returns an atom for {@code function} of two expressions. */
    public static Expression call(String function, Expression a, Expression b) {
        return atom(function + "(" + a + ", " + b + ")");
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Expression expression && terms.equals(expression.terms);
    }

    @Override
    public int hashCode() {
        return terms.hashCode();
    }

    @Override
    public String toString() {
        if (terms.isEmpty()) {
            return "0";
        }
        var text = new StringBuilder();
        terms.forEach((atoms, coefficient) -> {
            if (text.isEmpty()) {
                text.append(coefficient < 0 ? "-" : "");
            } else {
                text.append(coefficient < 0 ? " - " : " + ");
            }
            long size = Math.abs(coefficient);
            String product = String.join("*", atoms);
            text.append(atoms.isEmpty() ? Long.toString(size) : size == 1 ? product : product + "*" + size);
        });
        return text.toString();
    }
}
