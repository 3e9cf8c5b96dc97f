package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Operations on strings that filters and methods share, with Python's rules. */
final class Strings {
    private Strings() {}

    /** Removes characters at the ends: those of a set, or white space if it is null. */
    static String strip(String text, @Nullable String set, boolean left, boolean right) {
        IntPredicate goes = set == null ? Chars::isSpace : c -> set.indexOf(c) >= 0;
        int from = 0;
        int to = text.length();
        while (left && from < to && goes.test(text.codePointAt(from))) {
            from += Character.charCount(text.codePointAt(from));
        }
        while (right && to > from && goes.test(text.codePointBefore(to))) {
            to -= Character.charCount(text.codePointBefore(to));
        }
        return text.substring(from, to);
    }

    static String capitalize(String text) {
        if (text.isEmpty()) {
            return text;
        }
        int first = text.offsetByCodePoints(0, 1);
        return titleCase(text.codePointAt(0)) + lower(text.substring(first));
    }

    private static String titleCase(int c) {
        return Character.toString(Character.toTitleCase(c));
    }

    static String upper(String text) {
        return text.toUpperCase(Locale.ROOT);
    }

    static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    /** Writes each letter after one that {@code starts} tells of as a title, and the other letters in lower case. */
    static String title(String text, IntPredicate starts) {
        var out = new StringBuilder();
        boolean start = true;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (start) {
                out.append(titleCase(c));
            } else {
                out.appendCodePoint(Character.toLowerCase(c));
            }
            start = starts.test(c);
            i += Character.charCount(c);
        }
        return out.toString();
    }

    /** Replaces the first occurrences, or all if {@code most} is negative. */
    static String replace(String text, String old, String with, long most, Steps steps) {
        steps.chars(text.length());
        var out = new StringBuilder();
        int from = 0;
        int found = text.indexOf(old);
        for (long left = most; found >= 0 && left != 0; left--) {
            steps.requireLength((long) out.length() + found - from + with.length());
            steps.chars(with.length());
            out.append(text, from, found).append(with);
            from = found + old.length();
            // an empty text is found before each character, and at the end
            int next = !old.isEmpty() ? from : found < text.length() ? text.offsetByCodePoints(found, 1) : -1;
            found = next < 0 ? -1 : text.indexOf(old, next);
        }
        steps.requireLength((long) out.length() + text.length() - from);
        return out.append(text, from, text.length()).toString();
    }

    /** Splits at a separator, from the left; at runs of white space if it is null. */
    static List<@Nullable Object> split(String text, @Nullable String separator, long most, Steps steps) {
        steps.chars(text.length());
        return separator == null ? splitAtSpace(text, most, steps) : splitAt(text, separator, most, steps);
    }

    private static List<@Nullable Object> splitAt(String text, String separator, long most, Steps steps) {
        var parts = new ArrayList<@Nullable Object>();
        int from = 0;
        int found = text.indexOf(required(separator));
        for (long left = most; found >= 0 && left != 0; left--) {
            add(parts, text.substring(from, found), steps);
            from = found + separator.length();
            found = text.indexOf(separator, from);
        }
        add(parts, text.substring(from), steps);
        return parts;
    }

    private static String required(String separator) {
        if (separator.isEmpty()) {
            throw new Failure("the separator is empty");
        }
        return separator;
    }

    private static void add(List<@Nullable Object> parts, String part, Steps steps) {
        steps.spend(1);
        parts.add(part);
    }

    private static List<@Nullable Object> splitAtSpace(String text, long most, Steps steps) {
        var parts = new ArrayList<@Nullable Object>();
        int from = Chars.afterSpace(text, 0);
        for (long left = most; from < text.length(); left--) {
            int to = from;
            while (to < text.length() && (left == 0 || !Chars.isSpace(text.charAt(to)))) {
                to++;
            }
            add(parts, text.substring(from, to), steps);
            from = Chars.afterSpace(text, to);
        }
        return parts;
    }

    /** Splits at a separator, from the right; at runs of white space if it is null. */
    static List<@Nullable Object> splitFromRight(String text, @Nullable String separator, long most, Steps steps) {
        if (most < 0) {
            return split(text, separator, most, steps);
        }
        steps.chars(text.length());
        List<@Nullable Object> parts = separator == null
                ? splitFromRightAtSpace(text, most, steps)
                : splitFromRightAt(text, required(separator), most, steps);
        return parts.reversed();
    }

    private static List<@Nullable Object> splitFromRightAt(String text, String separator, long most, Steps steps) {
        var parts = new ArrayList<@Nullable Object>();
        int to = text.length();
        int found = text.lastIndexOf(separator);
        for (long left = most; found >= 0 && left != 0; left--) {
            add(parts, text.substring(found + separator.length(), to), steps);
            to = found;
            found = text.lastIndexOf(separator, to - separator.length());
        }
        add(parts, text.substring(0, to), steps);
        return parts;
    }

    private static List<@Nullable Object> splitFromRightAtSpace(String text, long most, Steps steps) {
        var parts = new ArrayList<@Nullable Object>();
        int to = beforeSpace(text, text.length());
        for (long left = most; to > 0; left--) {
            int from = left == 0 ? 0 : to;
            while (from > 0 && !Chars.isSpace(text.charAt(from - 1))) {
                from--;
            }
            add(parts, text.substring(from, to), steps);
            to = beforeSpace(text, from);
        }
        return parts;
    }

    private static int beforeSpace(String text, int before) {
        int at = before;
        while (at > 0 && Chars.isSpace(text.charAt(at - 1))) {
            at--;
        }
        return at;
    }

    static List<@Nullable Object> lines(String text, boolean keepEnds, Steps steps) {
        steps.chars(text.length());
        var lines = new ArrayList<@Nullable Object>();
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            if (isLineEnd(text.charAt(i))) {
                int end = text.startsWith("\r\n", i) ? i + 2 : i + 1;
                add(lines, text.substring(from, keepEnds ? end : i), steps);
                from = end;
                i = end - 1;
            }
        }
        if (from < text.length()) {
            add(lines, text.substring(from), steps);
        }
        return lines;
    }

    private static boolean isLineEnd(char c) {
        return c >= '\n' && c <= '\r' || c >= 0x1c && c <= 0x1e || c == 0x85 || c == 0x2028 || c == 0x2029;
    }

    static long count(String text, String part, Steps steps) {
        steps.chars(text.length());
        if (part.isEmpty()) {
            return Sequences.length(text) + 1;
        }
        long count = 0;
        for (int at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length())) {
            count++;
        }
        return count;
    }

    /** Returns the index of a part in code points, or -1. */
    static long find(String text, String part, boolean last, Steps steps) {
        steps.chars(text.length());
        int at = last ? text.lastIndexOf(part) : text.indexOf(part);
        return at < 0 ? -1 : text.codePointCount(0, at);
    }

    static String join(String separator, List<? extends @Nullable Object> parts, Steps steps) {
        var out = new StringBuilder();
        for (int i = 0; i < parts.size(); i++) {
            String part = Texts.text(parts.get(i), steps);
            long more = part.length() + (i == 0 ? 0L : separator.length());
            steps.requireLength(out.length() + more);
            steps.chars(more);
            steps.spend(1);
            out.append(i == 0 ? "" : separator).append(part);
        }
        return out.toString();
    }
}
