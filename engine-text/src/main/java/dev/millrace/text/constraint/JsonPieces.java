package dev.millrace.text.constraint;

import dev.millrace.text.json.Json;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Adds JSON to an automaton in a compact form: one optional space behind a colon and a comma, no other white space, and one way to
 * write each character of a string.
 */
final class JsonPieces {
    /** The largest number below which doubles have all whole numbers. */
    private static final double MOST_EXACT = 1L << 53;

    private static final int FIRST_PLAIN = 0x20;
    private static final CodePoints SPACE = CodePoints.of(' ');
    private static final CodePoints ESCAPED = escaped();
    private static final String SHORT = "\"\\\b\f\n\r\t";
    private static final String SHORT_NAMES = "\"\\bfnrt";

    private final AutomatonBuilder builder;
    private final Map<CodePoints, Integer> escapes = new HashMap<>();
    private final int anyCharacter;
    private final int string;
    private @Nullable Integer value;

    JsonPieces(AutomatonBuilder builder) {
        this.builder = builder;
        anyCharacter = builder.rule((from, to) -> {
            builder.character(from, CodePoints.ALL.without(ESCAPED), to);
            escaped(from, ESCAPED, to);
        });
        string = builder.rule(
                (from, to) -> quoted(from, (begin, end) -> builder.repeat(begin, this::anyCharacter, 0, -1, end), to));
    }

    private static CodePoints escaped() {
        var points = new BitSet();
        points.set(0, FIRST_PLAIN);
        points.set('"');
        points.set('\\');
        return CodePoints.of(points);
    }

    /** Adds one character of a string, escaped where it needs that. */
    void character(int from, CodePoints set, int to) {
        if (set.equals(CodePoints.ALL)) {
            anyCharacter(from, to);
            return;
        }
        builder.character(from, set.without(ESCAPED), to);
        CodePoints inner = set.and(ESCAPED);
        if (inner.isOne()) {
            escaped(from, inner, to);
        } else if (!inner.isEmpty()) {
            Integer known = escapes.get(inner);
            int rule = known == null ? builder.rule((begin, end) -> escaped(begin, inner, end)) : known;
            escapes.put(inner, rule);
            builder.call(from, rule, to);
        }
    }

    private void anyCharacter(int from, int to) {
        builder.call(from, anyCharacter, to);
    }

    private void escaped(int from, CodePoints set, int to) {
        int behind = builder.node();
        builder.character(from, CodePoints.of('\\'), behind);
        for (int point = 0; point <= '\\'; point++) {
            if (set.has(point)) {
                int at = SHORT.indexOf(point);
                String name = at < 0 ? "u%04x".formatted(point) : SHORT_NAMES.substring(at, at + 1);
                builder.literal(behind, name, to);
            }
        }
    }

    /** Adds quotation marks around a piece of a string. */
    void quoted(int from, AutomatonBuilder.Piece content, int to) {
        int begin = builder.node();
        int end = builder.node();
        builder.character(from, CodePoints.of('"'), begin);
        content.add(begin, end);
        builder.character(end, CodePoints.of('"'), to);
    }

    /** Adds any string. */
    void string(int from, int to) {
        builder.call(from, string, to);
    }

    /** Adds a string that is known. */
    void string(int from, String text, int to) {
        quoted(
                from,
                (begin, end) -> {
                    int at = begin;
                    for (int point : text.codePoints().toArray()) {
                        int next = builder.node();
                        character(at, CodePoints.of(point), next);
                        at = next;
                    }
                    builder.epsilon(at, end);
                },
                to);
    }

    /** Adds a string that is none of the names. */
    void otherString(int from, Iterable<String> names, int to) {
        var root = new NameNode(builder.node());
        for (String name : names) {
            NameNode at = root;
            for (int point : name.codePoints().toArray()) {
                at = at.children.computeIfAbsent(point, _ -> new NameNode(builder.node()));
            }
            at.isName = true;
        }
        builder.character(from, CodePoints.of('"'), root.node);
        int free = builder.node();
        int end = builder.node();
        builder.repeat(free, this::anyCharacter, 0, -1, end);
        builder.character(end, CodePoints.of('"'), to);
        var open = new ArrayDeque<NameNode>(List.of(root));
        while (!open.isEmpty()) {
            NameNode at = open.poll();
            var continued = new BitSet();
            at.children.forEach((point, child) -> {
                continued.set(point);
                character(at.node, CodePoints.of(point), child.node);
                open.add(child);
            });
            character(at.node, CodePoints.of(continued).complement(), free);
            if (!at.isName) {
                builder.character(at.node, CodePoints.of('"'), to);
            }
        }
    }

    /** The names with a common beginning. */
    private static final class NameNode {
        private final int node;
        private final Map<Integer, NameNode> children = new TreeMap<>();
        private boolean isName;

        NameNode(int node) {
            this.node = node;
        }
    }

    /** Adds a mark and an optional space. */
    void mark(int from, char mark, int to) {
        int behind = builder.node();
        builder.character(from, CodePoints.of(mark), behind);
        space(behind, to);
    }

    void space(int from, int to) {
        builder.character(from, SPACE, to);
        builder.epsilon(from, to);
    }

    /** Adds a number without bounds. */
    void number(int from, int to) {
        int whole = builder.node();
        int fraction = builder.node();
        NumberPiece.wholeNumber(builder, from, whole);
        builder.epsilon(whole, fraction);
        int point = builder.node();
        builder.literal(whole, ".", point);
        builder.repeat(point, NumberPiece.digits(builder), 1, NumberPiece.MOST_DECIMALS, fraction);
        builder.epsilon(fraction, to);
        int exponent = builder.node();
        builder.character(fraction, CodePoints.of('e'), exponent);
        builder.character(fraction, CodePoints.of('E'), exponent);
        int sign = builder.node();
        builder.epsilon(exponent, sign);
        builder.literal(exponent, "+", sign);
        builder.literal(exponent, "-", sign);
        builder.repeat(sign, NumberPiece.digits(builder), 1, 2, to);
    }

    /** Adds any value. */
    void value(int from, int to) {
        Integer known = value;
        if (known == null) {
            int made = builder.rule();
            value = made;
            known = made;
            int begin = builder.start(made);
            int end = builder.end(made);
            string(begin, end);
            builder.call(begin, builder.rule(this::number), end);
            List.of("true", "false", "null").forEach(text -> builder.literal(begin, text, end));
            builder.call(begin, builder.rule((at, last) -> list(at, '[', this::value, ']', last)), end);
            builder.call(begin, builder.rule((at, last) -> list(at, '{', this::property, '}', last)), end);
        }
        builder.call(from, known, to);
    }

    private void property(int from, int to) {
        int name = builder.node();
        int colon = builder.node();
        string(from, name);
        mark(name, ':', colon);
        value(colon, to);
    }

    private void list(int from, char open, AutomatonBuilder.Piece element, char close, int to) {
        int begin = builder.node();
        builder.character(from, CodePoints.of(open), begin);
        builder.character(begin, CodePoints.of(close), to);
        int behind = builder.node();
        element.add(begin, behind);
        builder.character(behind, CodePoints.of(close), to);
        int next = builder.node();
        mark(behind, ',', next);
        element.add(next, behind);
    }

    /** Adds a value that is known. */
    void literal(int from, Json known, int to) {
        if (known.isText()) {
            string(from, known.text(), to);
        } else if (known.isList()) {
            elements(from, "[", pieces(known.elements()), "]", to);
        } else if (known.isObject()) {
            List<AutomatonBuilder.Piece> properties = new ArrayList<>();
            known.properties()
                    .forEach((name, inner) -> properties.add(
                            (begin, end) -> property(begin, name, (at, next) -> literal(at, inner, next), end)));
            elements(from, "{", properties, "}", to);
        } else {
            builder.literal(from, text(known), to);
        }
    }

    private List<AutomatonBuilder.Piece> pieces(List<Json> values) {
        List<AutomatonBuilder.Piece> pieces = new ArrayList<>();
        values.forEach(each -> pieces.add((from, to) -> literal(from, each, to)));
        return pieces;
    }

    private void elements(int from, String open, List<AutomatonBuilder.Piece> elements, String close, int to) {
        int at = builder.node();
        builder.literal(from, open, at);
        for (int i = 0; i < elements.size(); i++) {
            int begin = builder.node();
            if (i == 0) {
                builder.epsilon(at, begin);
            } else {
                mark(at, ',', begin);
            }
            at = builder.node();
            elements.get(i).add(begin, at);
        }
        builder.literal(at, close, to);
    }

    /** Adds a property whose name is known. */
    void property(int from, String name, AutomatonBuilder.Piece content, int to) {
        int behind = builder.node();
        int colon = builder.node();
        string(from, name, behind);
        mark(behind, ':', colon);
        content.add(colon, to);
    }

    /** Returns a number, true, false or null as text. */
    static String text(Json known) {
        if (known.isNull()) {
            return "null";
        }
        if (known.isFlag()) {
            return String.valueOf(known.flag(false));
        }
        double number = known.number();
        if (!(Math.abs(number) < MOST_EXACT)) {
            throw known.refused("numbers of 2^53 and more are not written exactly");
        }
        return number == Math.rint(number) ? String.valueOf((long) number) : String.valueOf(number);
    }
}
