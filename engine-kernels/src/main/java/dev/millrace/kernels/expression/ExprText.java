package dev.millrace.kernels.expression;

import java.util.Locale;

/**
 * The text form of expressions, fit for a kernel key: {@code (mul in0 (sigmoid in0))}. Inputs are {@code in0}, single
 * elements {@code one0}, constants {@code #} and their bits in hexadecimal.
 */
public final class ExprText {
    private static final int MAX_DEPTH = 64;

    private final String text;
    private int at;

    private ExprText(String text) {
        this.text = text;
    }

    public static String print(Expr expression) {
        StringBuilder text = new StringBuilder();
        print(expression, text);
        return text.toString();
    }

    private static void print(Expr expression, StringBuilder text) {
        if (expression instanceof Expr.Input input) {
            text.append("in").append(input.index());
        } else if (expression instanceof Expr.Single single) {
            text.append("one").append(single.index());
        } else if (expression instanceof Expr.Literal literal) {
            text.append('#').append(Integer.toHexString(literal.bits()));
        } else if (expression instanceof Expr.Apply apply) {
            text.append('(')
                    .append(apply.function().name().toLowerCase(Locale.ROOT))
                    .append(' ');
            print(apply.argument(), text);
            text.append(')');
        } else if (expression instanceof Expr.Combine combine) {
            text.append('(')
                    .append(combine.operator().name().toLowerCase(Locale.ROOT))
                    .append(' ');
            print(combine.left(), text);
            text.append(' ');
            print(combine.right(), text);
            text.append(')');
        }
    }

    /**
     * Reads the text form.
     *
     * @throws IllegalArgumentException if it is not one, or nested deeper than 64
     */
    public static Expr parse(String text) {
        ExprText reader = new ExprText(text);
        Expr expression = reader.expression(0);
        if (reader.at != text.length()) {
            throw reader.wrong("something follows the expression");
        }
        return expression;
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("expression " + text + ": " + what + " at " + at);
    }

    private Expr expression(int depth) {
        if (depth > MAX_DEPTH) {
            throw wrong("nested deeper than " + MAX_DEPTH);
        }
        if (at < text.length() && text.charAt(at) == '(') {
            at++;
            Expr expression = call(word().toUpperCase(Locale.ROOT), depth);
            expect(')');
            return expression;
        }
        String word = word();
        try {
            if (word.startsWith("in")) {
                return Expr.input(Integer.parseInt(word.substring(2)));
            }
            if (word.startsWith("one")) {
                return Expr.single(Integer.parseInt(word.substring(3)));
            }
            if (word.startsWith("#")) {
                return new Expr.Literal(Integer.parseUnsignedInt(word.substring(1), 16));
            }
        } catch (NumberFormatException notANumber) {
            throw wrong("no number in " + word);
        }
        throw wrong("neither input nor constant: " + word);
    }

    private Expr call(String name, int depth) {
        for (Function function : Function.values()) {
            if (function.name().equals(name)) {
                expect(' ');
                return expression(depth + 1).apply(function);
            }
        }
        for (Operator operator : Operator.values()) {
            if (operator.name().equals(name)) {
                expect(' ');
                Expr left = expression(depth + 1);
                expect(' ');
                return new Expr.Combine(operator, left, expression(depth + 1));
            }
        }
        throw wrong("unknown function " + name);
    }

    private void expect(char wanted) {
        if (at >= text.length() || text.charAt(at) != wanted) {
            throw wrong("'" + wanted + "' expected");
        }
        at++;
    }

    private String word() {
        int start = at;
        while (at < text.length() && " ()".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return text.substring(start, at);
    }
}
