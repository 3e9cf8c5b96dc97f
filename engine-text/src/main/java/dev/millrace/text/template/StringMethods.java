package dev.millrace.text.template;

import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The methods of strings. */
final class StringMethods {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("strip", "chars", text((s, a, _) -> Strings.strip(s, a.textOrNull("chars"), true, true)))
            .add("lstrip", "chars", text((s, a, _) -> Strings.strip(s, a.textOrNull("chars"), true, false)))
            .add("rstrip", "chars", text((s, a, _) -> Strings.strip(s, a.textOrNull("chars"), false, true)))
            .add("upper", "", text((s, _, _) -> Strings.upper(s)))
            .add("lower", "", text((s, _, _) -> Strings.lower(s)))
            .add("capitalize", "", text((s, _, _) -> Strings.capitalize(s)))
            .add("title", "", text((s, _, _) -> Strings.title(s, c -> !isCased(c))))
            .add("replace", "old new count", text(StringMethods::replace))
            .add("split", "sep maxsplit", text(StringMethods::split))
            .add("rsplit", "sep maxsplit", text(StringMethods::splitFromRight))
            .add("splitlines", "keepends", text((s, a, n) -> Strings.lines(s, a.flag("keepends", false), n)))
            .add("startswith", "prefix", text((s, a, _) -> any(s, a.get("prefix"), String::startsWith)))
            .add("endswith", "suffix", text((s, a, _) -> any(s, a.get("suffix"), String::endsWith)))
            .add("removeprefix", "prefix", text((s, a, _) -> withoutPrefix(s, a.text("prefix"))))
            .add("removesuffix", "suffix", text((s, a, _) -> withoutSuffix(s, a.text("suffix"))))
            .add("find", "sub", text((s, a, n) -> Strings.find(s, a.text("sub"), false, n)))
            .add("rfind", "sub", text((s, a, n) -> Strings.find(s, a.text("sub"), true, n)))
            .add("count", "sub", text((s, a, n) -> Strings.count(s, a.text("sub"), n)))
            .add("join", "iterable", text(StringMethods::join))
            .add("isdigit", "", text((s, _, _) -> all(s, Character::isDigit)))
            .add("isspace", "", text((s, _, _) -> all(s, Chars::isSpace)))
            .add("isalpha", "", text((s, _, _) -> all(s, Character::isLetter)))
            .add("isalnum", "", text((s, _, _) -> all(s, Character::isLetterOrDigit)))
            .add("isupper", "", text((s, _, _) -> isCase(s, Strings.upper(s))))
            .add("islower", "", text((s, _, _) -> isCase(s, Strings.lower(s))));

    private StringMethods() {}

    private interface Method {
        Object apply(String text, Arguments arguments, Steps steps);
    }

    private static Builtin.Body text(Method method) {
        return (value, arguments, steps) -> {
            String text = (String) value;
            steps.chars(text == null ? 0 : text.length());
            return text == null ? "" : method.apply(text, arguments, steps);
        };
    }

    private static boolean isCased(int c) {
        return Character.isUpperCase(c) || Character.isLowerCase(c) || Character.isTitleCase(c);
    }

    private static Object replace(String text, Arguments arguments, Steps steps) {
        return Strings.replace(
                text, arguments.text("old"), arguments.text("new"), arguments.integer("count", -1), steps);
    }

    private static Object split(String text, Arguments arguments, Steps steps) {
        return Strings.split(text, arguments.textOrNull("sep"), arguments.integer("maxsplit", -1), steps);
    }

    private static Object splitFromRight(String text, Arguments arguments, Steps steps) {
        return Strings.splitFromRight(text, arguments.textOrNull("sep"), arguments.integer("maxsplit", -1), steps);
    }

    /** Tests a text with one part, or with each of a tuple until one holds. */
    private static boolean any(String text, @Nullable Object parts, BiPredicate<String, String> test) {
        for (Object part : parts instanceof Tuple tuple ? tuple : Tuple.of(parts)) {
            if (!(part instanceof String string)) {
                throw new Failure(Values.kind(part) + " stands where a string belongs");
            }
            if (test.test(text, string)) {
                return true;
            }
        }
        return false;
    }

    private static String withoutPrefix(String text, String prefix) {
        return text.startsWith(prefix) ? text.substring(prefix.length()) : text;
    }

    private static String withoutSuffix(String text, String suffix) {
        return text.endsWith(suffix) ? text.substring(0, text.length() - suffix.length()) : text;
    }

    private static Object join(String separator, Arguments arguments, Steps steps) {
        List<? extends @Nullable Object> parts = Sequences.elements(arguments.get("iterable"), steps);
        for (Object part : parts) {
            if (!(part instanceof String)) {
                throw new Failure("'join' joins strings, and not " + Values.kind(part));
            }
        }
        return Strings.join(separator, parts, steps);
    }

    private static boolean all(String text, IntPredicate test) {
        return !text.isEmpty() && text.codePoints().allMatch(test);
    }

    private static boolean isCase(String text, String converted) {
        return text.equals(converted) && text.codePoints().anyMatch(StringMethods::isCased);
    }
}
