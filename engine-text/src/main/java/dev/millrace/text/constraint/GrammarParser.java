package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Parses grammars in GBNF, the notation of llama.cpp: rules {@code name ::= alternatives} of literals, classes of characters,
 * names, groups and repetitions.
 */
final class GrammarParser {
    private static final int LONGEST = 1 << 18;
    private static final int DEEPEST = 100;
    private static final int MOST_REPEATS = 100_000;

    private final String source;
    private final AutomatonBuilder builder;
    private final Map<String, Integer> rules = new LinkedHashMap<>();
    private final Set<String> defined = new LinkedHashSet<>();
    private int at;
    private int depth;

    GrammarParser(String source, AutomatonBuilder builder) {
        this.source = source;
        this.builder = builder;
    }

    /** Adds all rules, and returns the one that is called {@code root}. */
    int parse() {
        if (source.length() > LONGEST) {
            throw EngineException.invalidArgument(
                    "the grammar has " + source.length() + " characters; the longest has " + LONGEST);
        }
        space(true);
        while (at < source.length()) {
            definition();
        }
        for (String name : rules.keySet()) {
            if (!defined.contains(name)) {
                throw EngineException.invalidArgument(
                        "the grammar uses the rule '" + name + "' and does not define it");
            }
        }
        Integer root = rules.get("root");
        if (root == null) {
            throw EngineException.invalidArgument("the grammar has no rule 'root', with which a text begins");
        }
        return root;
    }

    private EngineException refused(String why) {
        long line = source.substring(0, Math.min(at, source.length()))
                        .chars()
                        .filter(c -> c == '\n')
                        .count()
                + 1;
        int column = Math.min(at, source.length()) - source.lastIndexOf('\n', Math.max(0, at - 1));
        return EngineException.invalidArgument("the grammar, line " + line + ", column " + column + ": " + why);
    }

    private boolean has(String next) {
        return source.startsWith(next, at);
    }

    private boolean take(String next) {
        boolean there = has(next);
        at += there ? next.length() : 0;
        return there;
    }

    /** Skips spaces and comments. */
    private void space(boolean withLines) {
        while (at < source.length()) {
            char each = source.charAt(at);
            if (each == '#') {
                while (at < source.length() && source.charAt(at) != '\n' && source.charAt(at) != '\r') {
                    at++;
                }
            } else if (each == ' ' || each == '\t' || withLines && (each == '\n' || each == '\r')) {
                at++;
            } else {
                return;
            }
        }
    }

    private void definition() {
        String name = name();
        if (name.isEmpty()) {
            throw refused("a rule begins with its name, made of letters, digits and -");
        }
        space(false);
        if (!take("::=")) {
            throw refused("'::=' belongs behind the name '" + name + "'");
        }
        if (!defined.add(name)) {
            throw refused("the rule '" + name + "' is defined twice");
        }
        space(true);
        int rule = rule(name);
        alternatives(builder.start(rule), builder.end(rule), false);
        if (at < source.length() && !has("\n") && !has("\r")) {
            throw refused("'" + Character.toString(source.codePointAt(at)) + "' is not expected here");
        }
        space(true);
    }

    private String name() {
        int start = at;
        while (at < source.length() && isName(source.charAt(at))) {
            at++;
        }
        return source.substring(start, at);
    }

    private static boolean isName(char each) {
        return each >= 'a' && each <= 'z'
                || each >= 'A' && each <= 'Z'
                || each >= '0' && each <= '9'
                || each == '-'
                || each == '_';
    }

    private int rule(String name) {
        return rules.computeIfAbsent(name, _ -> builder.rule());
    }

    /** @param isNested whether it is in parentheses, where lines do not end it */
    private void alternatives(int from, int to, boolean isNested) {
        if (++depth > DEEPEST) {
            throw refused("groups nest more than " + DEEPEST + " deep");
        }
        sequence(from, to, isNested);
        while (take("|")) {
            space(true);
            sequence(from, to, isNested);
        }
        depth--;
    }

    private void sequence(int from, int to, boolean isNested) {
        int node = builder.node();
        builder.epsilon(from, node);
        while (at < source.length() && !has("|") && !has(")") && !has("\n") && !has("\r")) {
            AutomatonBuilder.Piece piece = quantified(element(isNested), isNested);
            int next = builder.node();
            piece.add(node, next);
            node = next;
        }
        builder.epsilon(node, to);
    }

    private AutomatonBuilder.Piece element(boolean isNested) {
        AutomatonBuilder.Piece piece;
        if (take("\"")) {
            piece = literal();
        } else if (take("[")) {
            CodePoints set = set();
            piece = (from, to) -> builder.character(from, set, to);
        } else if (take(".")) {
            piece = (from, to) -> builder.character(from, CodePoints.ALL, to);
        } else if (take("(")) {
            space(true);
            int rule = builder.rule();
            alternatives(builder.start(rule), builder.end(rule), true);
            if (!take(")")) {
                throw refused("a ')' is missing");
            }
            piece = (from, to) -> builder.call(from, rule, to);
        } else {
            String name = name();
            if (name.isEmpty()) {
                throw refused("'" + Character.toString(source.codePointAt(at))
                        + "' begins nothing that a rule may have; references to tokens are not supported");
            }
            int rule = rule(name);
            piece = (from, to) -> builder.call(from, rule, to);
        }
        space(isNested);
        return piece;
    }

    private AutomatonBuilder.Piece literal() {
        var text = new StringBuilder();
        while (!take("\"")) {
            text.appendCodePoint(character());
        }
        return (from, to) -> builder.literal(from, text.toString(), to);
    }

    private CodePoints set() {
        boolean isNegated = take("^");
        var points = new BitSet();
        while (!take("]")) {
            int first = character();
            int last = first;
            if (has("-") && !source.startsWith("-]", at)) {
                at++;
                last = character();
            }
            if (last < first) {
                throw refused("a range of characters ends before it begins");
            }
            points.set(first, last + 1);
        }
        CodePoints set = CodePoints.of(points).and(CodePoints.ALL);
        return isNegated ? set.complement() : set;
    }

    private int character() {
        if (at >= source.length() || has("\n") || has("\r")) {
            throw refused("the line ends within a literal or a class");
        }
        int point = source.codePointAt(at);
        at += Character.charCount(point);
        if (point != '\\') {
            return point;
        }
        char kind = at < source.length() ? source.charAt(at++) : '\0';
        return switch (kind) {
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case '\\', '"', '[', ']', '-', '^' -> kind;
            case 'x' -> code(2);
            case 'u' -> code(4);
            case 'U' -> code(8);
            default -> throw refused("there is no escape '\\" + kind + "'");
        };
    }

    private int code(int digits) {
        int end = at + digits;
        if (end > source.length() || !source.substring(at, end).matches("[0-9a-fA-F]+")) {
            throw refused(digits + " hexadecimal digits belong here");
        }
        long code = Long.parseLong(source, at, end, 16);
        at = end;
        if (code > Character.MAX_CODE_POINT || code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
            throw refused("there is no character " + Long.toHexString(code));
        }
        return (int) code;
    }

    private AutomatonBuilder.Piece quantified(AutomatonBuilder.Piece element, boolean isNested) {
        AutomatonBuilder.Piece piece = element;
        for (int count = 0; at < source.length(); count++) {
            if (count > DEEPEST) {
                throw refused("repetitions nest more than " + DEEPEST + " deep");
            }
            AutomatonBuilder.Piece one = piece;
            int fewest = 0;
            int most = -1;
            if (take("+")) {
                fewest = 1;
            } else if (take("?")) {
                most = 1;
            } else if (take("{")) {
                fewest = number();
                most = take(",") ? number(-1) : fewest;
                if (!take("}")) {
                    throw refused("a '}' is missing");
                }
                if (most >= 0 && most < fewest) {
                    throw refused("the most repetitions are fewer than the fewest");
                }
            } else if (!take("*")) {
                return piece;
            }
            int least = fewest;
            int last = most;
            int rule = builder.rule((from, to) -> builder.repeat(from, one, least, last, to));
            piece = (from, to) -> builder.call(from, rule, to);
            space(isNested);
        }
        return piece;
    }

    private int number() {
        int number = number(-1);
        if (number < 0) {
            throw refused("a number of repetitions belongs here");
        }
        return number;
    }

    private int number(int otherwise) {
        space(true);
        int start = at;
        long number = 0;
        while (at < source.length() && source.charAt(at) >= '0' && source.charAt(at) <= '9') {
            number = Math.min(MOST_REPEATS + 1L, 10 * number + source.charAt(at++) - '0');
        }
        if (number > MOST_REPEATS) {
            throw refused("more than " + MOST_REPEATS + " repetitions");
        }
        int digits = at - start;
        space(true);
        return digits == 0 ? otherwise : (int) number;
    }
}
