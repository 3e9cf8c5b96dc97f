package dev.millrace.text.pattern;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses a regular expression in the syntax of {@link Pattern}, which has accepted it. Constructs that need more state
 * than a position in the program and the text (back references, {@code \X}, {@code \G}) are refused.
 */
final class Parser {
    private static final int DEEPEST = 100;
    private static final int MOST_SETS = 1000;
    private static final String LINE_BREAK = "(?>\\r\\n|[\\n\\x0b\\f\\r\\u0085\\u2028\\u2029])";

    private final String source;
    private final Map<String, CharSet> sets;
    private int at;
    private int depth;
    private int flags;

    private Parser(String source, Map<String, CharSet> sets, int flags) {
        this.source = source;
        this.sets = sets;
        this.flags = flags;
    }

    /** @param flags the flags of {@link Pattern} that are on at the beginning */
    static Part parse(String expression, int flags) {
        var parser = new Parser(expression, new HashMap<>(), flags);
        Part whole = parser.choice();
        if (parser.at < expression.length()) {
            throw parser.unsupported(")");
        }
        return whole;
    }

    private EngineException unsupported(String what) {
        return EngineException.notImplemented(
                "'" + what + "' at " + at + " of the regular expression '" + source + "' is not supported");
    }

    private boolean has(String next) {
        return source.startsWith(next, at);
    }

    private boolean take(String next) {
        boolean there = has(next);
        at += there ? next.length() : 0;
        return there;
    }

    private Part choice() {
        if (++depth > DEEPEST) {
            throw unsupported("groups " + DEEPEST + " deep");
        }
        var parts = new ArrayList<Part>();
        do {
            parts.add(sequence());
        } while (take("|"));
        depth--;
        return parts.size() == 1 ? parts.getFirst() : new Part.Choice(parts);
    }

    private Part sequence() {
        var parts = new ArrayList<Part>();
        while (at < source.length() && !has("|") && !has(")")) {
            Part atom = atom();
            if (atom != null) {
                parts.add(quantified(atom));
            }
        }
        return parts.size() == 1 ? parts.getFirst() : new Part.Sequence(parts);
    }

    private Part quantified(Part atom) {
        Part made = atom;
        while (at < source.length()) {
            int fewest;
            int times = (int) Part.ENDLESS;
            if (take("*")) {
                fewest = 0;
            } else if (take("+")) {
                fewest = 1;
            } else if (take("?")) {
                fewest = 0;
                times = 1;
            } else if (take("{")) {
                fewest = number();
                times = take(",") ? (has("}") ? times : number()) : fewest;
                at++;
            } else {
                return made;
            }
            boolean lazy = take("?");
            made = new Part.Repeated(repeatable(made), fewest, times, lazy);
            if (!lazy && take("+")) {
                made = new Part.Atomic(made);
            }
        }
        return made;
    }

    /** Returns a literal as a set, which one instruction can repeat; other parts unchanged. */
    private Part repeatable(Part part) {
        return part instanceof Part.Literal literal ? set(hexadecimal(literal.point())) : part;
    }

    private static String hexadecimal(int point) {
        return "\\x{" + Integer.toHexString(point) + "}";
    }

    private int number() {
        int start = at;
        while (Character.isDigit(source.charAt(at))) {
            at++;
        }
        return Integer.parseInt(source, start, at, 10);
    }

    /** Parses the next part without its quantifier; null where it only sets flags. */
    private @Nullable Part atom() {
        char next = source.charAt(at);
        return switch (next) {
            case '(' -> group();
            case '[' -> set(characterClass());
            case '.' -> set(taken(1));
            case '^' -> place(1, isOn(Pattern.MULTILINE) ? Place.LINE_BEGIN : Place.BEGIN);
            case '$' -> place(1, isOn(Pattern.MULTILINE) ? Place.LINE_END : Place.LAST_LINE_END);
            case '\\' -> escape();
            default -> {
                int point = source.codePointAt(at);
                at += Character.charCount(point);
                yield literal(point);
            }
        };
    }

    private boolean isOn(int flag) {
        return (flags & flag) != 0;
    }

    private String taken(int length) {
        at += length;
        return source.substring(at - length, at);
    }

    private Part place(int length, Place place) {
        at += length;
        return new Part.At(place);
    }

    private Part literal(int point) {
        return isOn(Pattern.CASE_INSENSITIVE) ? set(hexadecimal(point)) : new Part.Literal(point);
    }

    private Part set(String expression) {
        if (sets.size() >= MOST_SETS) {
            throw unsupported("more than " + MOST_SETS + " sets of characters");
        }
        return new Part.OneOf(sets.computeIfAbsent(flags + expression, _ -> new CharSet(expression, flags)));
    }

    private @Nullable Part group() {
        at++;
        int outer = flags;
        if (take("?")) {
            return take("=") ? ahead(false, outer) : take("!") ? ahead(true, outer) : special(outer);
        }
        return closed(choice(), outer);
    }

    private Part ahead(boolean negated, int outer) {
        return closed(new Part.Look(choice(), false, negated), outer);
    }

    private @Nullable Part special(int outer) {
        if (take(">")) {
            return closed(new Part.Atomic(choice()), outer);
        }
        if (has("<=") || has("<!")) {
            boolean negated = taken(2).endsWith("!");
            Part part = choice();
            if (part.most() >= Part.ENDLESS) {
                throw unsupported("a look behind without a bound");
            }
            return closed(new Part.Look(part, true, negated), outer);
        }
        if (take("<")) {
            at = source.indexOf('>', at) + 1;
            return closed(choice(), outer);
        }
        boolean on = true;
        for (; !has(":") && !has(")"); at++) {
            char flag = source.charAt(at);
            if (flag == '-') {
                on = false;
            } else {
                flags = on ? flags | flag(flag) : flags & ~flag(flag);
            }
        }
        if (take(")")) {
            return null;
        }
        at++;
        return closed(choice(), outer);
    }

    private int flag(char name) {
        return switch (name) {
            case 'i' -> Pattern.CASE_INSENSITIVE;
            case 'm' -> Pattern.MULTILINE;
            case 's' -> Pattern.DOTALL;
            // these flags are always on
            case 'u', 'U' -> Pattern.UNICODE_CHARACTER_CLASS;
            default -> throw unsupported("the flag " + name);
        };
    }

    private Part closed(Part content, int outer) {
        at++;
        flags = outer;
        return content;
    }

    /** Returns the text of a class in brackets, including nested classes. */
    private String characterClass() {
        int start = at;
        int open = 0;
        boolean first = false;
        do {
            char next = source.charAt(at++);
            if (next == '\\') {
                at = has("Q") ? quoteEnd() : at + 1;
                first = false;
            } else if (next == '[') {
                open++;
                first = true;
            } else if (next == ']' && !first) {
                open--;
            } else {
                first &= next == '^';
            }
        } while (open > 0 && at < source.length());
        return source.substring(start, at);
    }

    /** Returns the index after a quotation that begins here. */
    private int quoteEnd() {
        int end = source.indexOf("\\E", at);
        return end < 0 ? source.length() : end + 2;
    }

    private @Nullable Part escape() {
        char kind = source.charAt(at + 1);
        return switch (kind) {
            case 'd', 'D', 'w', 'W', 's', 'S', 'h', 'H', 'v', 'V' -> set(taken(2));
            case 'p', 'P' -> set(taken(source.charAt(at + 2) == '{' ? source.indexOf('}', at) + 1 - at : 3));
            case 'b' -> has("\\b{") ? refused() : place(2, Place.WORD_BORDER);
            case 'B' -> place(2, Place.NO_WORD_BORDER);
            case 'A' -> place(2, Place.BEGIN);
            case 'z' -> place(2, Place.END);
            case 'Z' -> place(2, Place.LAST_LINE_END);
            case 'R' -> lineBreak();
            case 'Q' -> quotation();
            case 'x' -> literal(code(source.charAt(at + 2) == '{' ? source.indexOf('}', at) + 1 - at : 4));
            case 'u' -> literal(utf16());
            case '0' -> literal(octal());
            case 'c' -> literal(taken(3).charAt(2) ^ 64);
            case 't' -> escaped('\t');
            case 'n' -> escaped('\n');
            case 'r' -> escaped('\r');
            case 'f' -> escaped('\f');
            case 'a' -> escaped(7);
            case 'e' -> escaped(27);
            default -> {
                if (kind < 128 && Character.isLetterOrDigit(kind)) {
                    yield refused();
                }
                at++;
                int point = source.codePointAt(at);
                at += Character.charCount(point);
                yield literal(point);
            }
        };
    }

    private Part refused() {
        throw unsupported(source.substring(at, at + 2));
    }

    private Part escaped(int point) {
        at += 2;
        return literal(point);
    }

    private Part lineBreak() {
        at += 2;
        return new Parser(LINE_BREAK, sets, flags).choice();
    }

    private Part quotation() {
        at += 2;
        int end = quoteEnd();
        String text = source.substring(at, source.startsWith("\\E", end - 2) && end - 2 >= at ? end - 2 : end);
        at = end;
        List<Part> points = text.codePoints().mapToObj(this::literal).toList();
        // a quantifier applies to the last char only
        if (points.isEmpty()) {
            return new Part.Sequence(points);
        }
        var all = new ArrayList<>(points);
        all.add(quantified(all.removeLast()));
        return new Part.Sequence(all);
    }

    private int code(int length) {
        String digits = taken(length).substring(2).replace("{", "").replace("}", "");
        return Integer.parseInt(digits, 16);
    }

    private int utf16() {
        int first = code(6);
        if (Character.isHighSurrogate((char) first) && has("\\u")) {
            int before = at;
            int second = code(6);
            if (Character.isLowSurrogate((char) second)) {
                return Character.toCodePoint((char) first, (char) second);
            }
            at = before;
        }
        return first;
    }

    private int octal() {
        at += 2;
        int value = 0;
        for (int i = 0; i < 3 && at < source.length() && "01234567".indexOf(source.charAt(at)) >= 0; i++) {
            int next = 8 * value + source.charAt(at) - '0';
            if (next > 0377) {
                break;
            }
            value = next;
            at++;
        }
        return value;
    }
}
