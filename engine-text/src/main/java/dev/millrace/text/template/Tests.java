package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tests by their names. */
final class Tests {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("defined", "", (value, _, _) -> !(value instanceof Undefined))
            .add("undefined", "", (value, _, _) -> value instanceof Undefined)
            .add("none", "", (value, _, _) -> value == null)
            .add("string", "", (value, _, _) -> value instanceof String)
            .add("number", "", (value, _, _) -> TemplateNumbers.exact(value) != null)
            .add("integer", "", (value, _, _) -> value instanceof Long)
            .add("float", "", (value, _, _) -> value instanceof Double)
            .add("boolean", "", (value, _, _) -> value instanceof Boolean)
            .add("true", "", (value, _, _) -> Boolean.TRUE.equals(value))
            .add("false", "", (value, _, _) -> Boolean.FALSE.equals(value))
            .add("mapping", "", (value, _, _) -> value instanceof Map)
            .add("sequence", "", (value, _, _) -> hasElements(value))
            .add("iterable", "", (value, _, _) -> hasElements(value))
            .add("callable", "", (value, _, _) -> value instanceof TemplateFunction)
            .add("odd", "", (value, _, _) -> remainder(value, 2L).doubleValue() == 1)
            .add("even", "", (value, _, _) -> remainder(value, 2L).doubleValue() == 0)
            .add(
                    "divisibleby",
                    "num",
                    (value, a, _) -> remainder(value, a.integer("num")).doubleValue() == 0)
            .add("sameas", "other", (value, a, _) -> same(value, a.get("other")))
            .add("lower", "", (value, _, steps) -> isCase(Texts.text(value, steps), false))
            .add("upper", "", (value, _, steps) -> isCase(Texts.text(value, steps), true))
            .add("in", "seq", (value, a, steps) -> ValueComparisons.contains(a.get("seq"), value, steps))
            .add("eq", "other", comparison("=="))
            .alias("equalto", "eq")
            .alias("==", "eq")
            .add("ne", "other", comparison("!="))
            .alias("!=", "ne")
            .add("lt", "other", comparison("<"))
            .alias("lessthan", "lt")
            .alias("<", "lt")
            .add("le", "other", comparison("<="))
            .alias("<=", "le")
            .add("gt", "other", comparison(">"))
            .alias("greaterthan", "gt")
            .alias(">", "gt")
            .add("ge", "other", comparison(">="))
            .alias(">=", "ge")
            .add("filter", "", (value, _, _) -> value instanceof String name && Filters.TABLE.get(name) != null)
            .add("test", "", (value, _, _) -> value instanceof String name && isTest(name));

    private Tests() {}

    private static boolean isTest(String name) {
        return TABLE.get(name) != null;
    }

    private static Builtin.Body comparison(String operator) {
        return (value, arguments, steps) -> ValueComparisons.holds(operator, value, arguments.get("other"), steps);
    }

    private static boolean hasElements(@Nullable Object value) {
        return value instanceof String || value instanceof List || value instanceof Map || value instanceof Undefined;
    }

    private static Number remainder(@Nullable Object value, Long divisor) {
        Number number = TemplateNumbers.exact(value);
        if (number == null) {
            throw new Failure(Values.kind(value) + " stands where a number belongs");
        }
        return TemplateNumbers.apply("%", number, divisor);
    }

    private static boolean same(@Nullable Object a, @Nullable Object b) {
        return a == b || (a instanceof Boolean || a instanceof Long || a instanceof String) && a.equals(b);
    }

    private static boolean isCase(String text, boolean upper) {
        boolean letters = text.codePoints().anyMatch(c -> Character.isUpperCase(c) || Character.isLowerCase(c));
        return letters && text.equals(upper ? Strings.upper(text) : Strings.lower(text));
    }
}
