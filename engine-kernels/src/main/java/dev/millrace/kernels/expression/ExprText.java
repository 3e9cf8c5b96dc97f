package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelKey;
import java.util.Locale;

/**
 * The text form of expressions, fit for a kernel key: {@code (mul in0 (sigmoid in0))}. Inputs are {@code in0}, single
 * elements {@code one0}, with the type after a dot unless that is f32. Constants are their bits in hexadecimal after
 * {@code #} for a float, {@code $} for an int, {@code ?} for a bool.
 */
public final class ExprText {
    private static final int MAX_DEPTH = 64;
    /** The most operators of a short expression; a subexpression that is written twice counts twice. */
    private static final int MAX_OPERATORS = 1 << 12;

    private static final String INPUT = "in";
    private static final String SINGLE = "one";
    private static final String CHOOSE = "CHOOSE";
    private static final String TO = "TO_";
    /** The first characters of literals, by kind. */
    private static final String LITERALS = "#$?";

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
        switch (expression) {
            case Expr.Input(int index, DataType type) ->
                text.append(INPUT).append(index).append(suffix(type));
            case Expr.Single(int index, DataType type) ->
                text.append(SINGLE).append(index).append(suffix(type));
            case Expr.Literal(int bits, Kind kind) ->
                text.append(LITERALS.charAt(kind.ordinal())).append(Integer.toHexString(bits));
            case Expr.Apply(FloatFunction function, Expr argument) -> print(function.name(), text, argument);
            case Expr.Convert(Kind kind, Expr argument) -> print(TO + kind.name(), text, argument);
            case Expr.Combine(Operator operator, Expr left, Expr right) -> print(operator.name(), text, left, right);
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                print(CHOOSE, text, condition, then, otherwise);
        }
    }

    private static void print(String name, StringBuilder text, Expr... arguments) {
        text.append('(').append(name.toLowerCase(Locale.ROOT));
        for (Expr argument : arguments) {
            print(argument, text.append(' '));
        }
        text.append(')');
    }

    private static String suffix(DataType type) {
        return type == DataType.F32 ? "" : "." + type.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Parses the text form.
     *
     * @throws IllegalArgumentException if the text is no expression, or is nested deeper than 64
     */
    public static Expr parse(String text) {
        ExprText reader = new ExprText(text);
        Expr expression = reader.expression(0);
        if (reader.at != text.length()) {
            throw reader.wrong("something follows the expression");
        }
        return expression;
    }

    /**
     * Parses the expression in a parameter of a key.
     *
     * @throws IllegalArgumentException if the parameter is no expression; the message names it
     */
    public static Expr parse(KernelKey key, String parameter) {
        try {
            return parse(key.text(parameter));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "the parameter " + parameter + " is wrong: " + wrong.getMessage(), wrong);
        }
    }

    /** Whether an expression is short enough for a key, and not nested too deeply to be parsed again. */
    public static boolean isShort(Expr expression) {
        return left(expression, 0, MAX_OPERATORS) >= 0;
    }

    /** Returns the rest of a number of operators, negative where an expression has more or is nested too deeply. */
    private static int left(Expr expression, int depth, int operators) {
        if (operators < 0 || depth > MAX_DEPTH) {
            return -1;
        }
        return switch (expression) {
            case Expr.Input _, Expr.Single _, Expr.Literal _ -> operators;
            case Expr.Apply(FloatFunction _, Expr argument) -> left(argument, depth + 1, operators - 1);
            case Expr.Convert(Kind _, Expr argument) -> left(argument, depth + 1, operators - 1);
            case Expr.Combine(Operator _, Expr one, Expr other) ->
                left(other, depth + 1, left(one, depth + 1, operators - 1));
            case Expr.Choose(Expr condition, Expr then, Expr otherwise) ->
                left(otherwise, depth + 1, left(then, depth + 1, left(condition, depth + 1, operators - 1)));
        };
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
        return leaf(word());
    }

    private Expr leaf(String word) {
        try {
            if (word.startsWith(INPUT)) {
                return new Expr.Input(number(word, INPUT), type(word));
            }
            if (word.startsWith(SINGLE)) {
                return new Expr.Single(number(word, SINGLE), type(word));
            }
            int kind = word.isEmpty() ? -1 : LITERALS.indexOf(word.charAt(0));
            if (kind >= 0) {
                return new Expr.Literal(Integer.parseUnsignedInt(word.substring(1), 16), Kind.values()[kind]);
            }
        } catch (NumberFormatException notANumber) {
            throw wrong("no number in " + word);
        }
        throw wrong("neither input nor constant: " + word);
    }

    private static int number(String word, String prefix) {
        int dot = word.indexOf('.');
        return Integer.parseInt(word.substring(prefix.length(), dot < 0 ? word.length() : dot));
    }

    private DataType type(String word) {
        int dot = word.indexOf('.');
        return dot < 0 ? DataType.F32 : named(DataType.values(), word.substring(dot + 1), "type");
    }

    private <E extends Enum<E>> E named(E[] values, String name, String what) {
        for (E value : values) {
            if (value.name().equalsIgnoreCase(name)) {
                return value;
            }
        }
        throw wrong("unknown " + what + " " + name);
    }

    private Expr argument(int depth) {
        expect(' ');
        return expression(depth + 1);
    }

    private Expr call(String name, int depth) {
        if (name.equals(CHOOSE)) {
            return argument(depth).choose(argument(depth), argument(depth));
        }
        if (name.startsWith(TO)) {
            return new Expr.Convert(named(Kind.values(), name.substring(TO.length()), "kind"), argument(depth));
        }
        for (Operator operator : Operator.values()) {
            if (operator.name().equals(name)) {
                return argument(depth).combine(operator, argument(depth));
            }
        }
        return argument(depth).apply(named(FloatFunction.values(), name, "function"));
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
