package dev.millrace.graph.infer.symbol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Reads the names of symbols as {@linkplain Expression expressions}. A name that is no expression in the form that this
 * package prints (the order of terms aside) is one atom as a whole: {@code dim-1} of a foreign model is a name, not a
 * difference, as that would be {@code dim - 1}.
 */
public final class ExpressionParser {
    private static final Set<String> FUNCTIONS = Set.of("floordiv", "ceildiv", "min", "max", "mod");
    private static final int LONGEST = 256;
    /** Models have some dozens of them, which every rule that computes with them reads again. */
    private static final int MOST_KNOWN = 4096;

    private static final Map<String, Expression> KNOWN = new ConcurrentHashMap<>();

    private static final class Malformed extends Exception {
        private static final long serialVersionUID = 1L;

        Malformed() {
            super(null, null, false, false);
        }
    }

    private final String text;
    private int at;

    private ExpressionParser(String text) {
        this.text = text;
    }

    static Expression symbol(String name) {
        if (isIdentifier(name)) {
            return Expression.atom(name);
        }
        Expression known = KNOWN.get(name);
        if (known == null) {
            known = read(name);
            if (KNOWN.size() >= MOST_KNOWN) {
                KNOWN.clear();
            }
            KNOWN.put(name, known);
        }
        return known;
    }

    private static Expression read(String name) {
        if (name.length() <= LONGEST) {
            try {
                var parser = new ExpressionParser(name);
                Expression expression = parser.sum();
                if (parser.at == name.length()
                        && !expression.isConstant()
                        && isReordered(expression.toString(), name)) {
                    return expression;
                }
            } catch (Malformed | ArithmeticException notAnExpression) {
                return quoted(name);
            }
        }
        return quoted(name);
    }

    private static boolean isReordered(String a, String b) {
        return a.equals(b)
                || a.length() == b.length()
                        && Arrays.equals(
                                a.chars().sorted().toArray(), b.chars().sorted().toArray());
    }

    /** The arguments of an atom that is a call; none of one that is a name. */
    public static List<Expression> arguments(String call) {
        if (call.startsWith("`") || !call.contains("(")) {
            return List.of();
        }
        try {
            var parser = new ExpressionParser(call);
            parser.at = call.indexOf('(');
            return parser.arguments();
        } catch (Malformed e) {
            return List.of();
        }
    }

    private static Expression quoted(String name) {
        return Expression.atom("`" + name.replace('`', '\'') + "`");
    }

    private static boolean isIdentifier(String name) {
        if (name.isEmpty() || !isStart(name.charAt(0))) {
            return false;
        }
        for (int i = 1; i < name.length(); i++) {
            if (!isPart(name.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isStart(char c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
    }

    private static boolean isPart(char c) {
        return isStart(c) || c >= '0' && c <= '9' || c == '.' || c == ':';
    }

    private boolean skip(char c) {
        skipSpaces();
        if (at < text.length() && text.charAt(at) == c) {
            at++;
            return true;
        }
        return false;
    }

    private void skipSpaces() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
    }

    private Expression sum() throws Malformed {
        Expression sum = skip('-') ? Expression.constant(0).minus(product()) : product();
        while (true) {
            if (skip('+')) {
                sum = sum.plus(product());
            } else if (skip('-')) {
                sum = sum.minus(product());
            } else {
                return sum;
            }
        }
    }

    private Expression product() throws Malformed {
        Expression product = factor();
        while (skip('*')) {
            product = product.times(factor());
        }
        return product;
    }

    private Expression factor() throws Malformed {
        skipSpaces();
        if (at == text.length()) {
            throw new Malformed();
        }
        int start = at;
        char first = text.charAt(at);
        if (first == '`') {
            int end = text.indexOf('`', at + 1);
            if (end < 0) {
                throw new Malformed();
            }
            at = end + 1;
            return Expression.atom(text.substring(start, at));
        }
        if (first >= '0' && first <= '9') {
            while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                at++;
            }
            if (at - start > 18) {
                throw new Malformed();
            }
            return Expression.constant(Long.parseLong(text.substring(start, at)));
        }
        if (!isStart(first)) {
            throw new Malformed();
        }
        while (at < text.length() && isPart(text.charAt(at))) {
            at++;
        }
        String name = text.substring(start, at);
        if (at < text.length() && text.charAt(at) == '(') {
            List<Expression> arguments = arguments();
            if (!FUNCTIONS.contains(name) || arguments.size() != 2) {
                throw new Malformed();
            }
            return Expression.call(name, arguments.get(0), arguments.get(1));
        }
        return Expression.atom(name);
    }

    private List<Expression> arguments() throws Malformed {
        if (!skip('(')) {
            throw new Malformed();
        }
        var arguments = new ArrayList<Expression>();
        do {
            arguments.add(sum());
        } while (skip(','));
        if (!skip(')')) {
            throw new Malformed();
        }
        return arguments;
    }
}
