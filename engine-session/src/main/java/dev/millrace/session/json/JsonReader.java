package dev.millrace.session.json;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON (RFC 8259) in UTF-8 as Java's maps, lists, strings, doubles, booleans and null. It reads bytes, since files of tokenizers are
 * read at the start of a process, when decoding them as a whole would run in the interpreter.
 */
public final class JsonReader {
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";
    private static final char REPLACEMENT = '\uFFFD';
    private static final int HEX = 16;
    private static final int HEX_DIGITS = 4;
    /** Whole numbers of so many digits are doubles without rounding. */
    private static final int EXACT_DIGITS = 15;

    private final byte[] text;
    private final Limits limits;
    private int at;
    private int values;

    private JsonReader(byte[] text, Limits limits) {
        this.text = text;
        this.limits = limits;
    }

    /**
     * Bounds of a document.
     *
     * @param depth the deepest nesting
     * @param values the largest number of values
     * @param uniqueNames whether a name that stands twice in an object is refused; otherwise the last value counts
     */
    public record Limits(int depth, int values, boolean uniqueNames) {}

    /** Returns the value of a document; throws if it is no JSON, or is beyond the limits. */
    public static @Nullable Object read(byte[] text, Limits limits) {
        var reader = new JsonReader(text, limits);
        if (text.length >= BYTE_ORDER_MARK.length && startsWith(text, 0, BYTE_ORDER_MARK)) {
            reader.at = BYTE_ORDER_MARK.length;
        }
        Object value = reader.value(0);
        if (reader.peek() >= 0) {
            throw reader.wrong("something follows it");
        }
        return value;
    }

    private static boolean startsWith(byte[] text, int at, byte[] part) {
        for (int i = 0; i < part.length; i++) {
            if (text[at + i] != part[i]) {
                return false;
            }
        }
        return true;
    }

    private JsonFormatException wrong(String what) {
        int line = 1;
        int begin = 0;
        for (int i = 0; i < Math.min(at, text.length); i++) {
            if (text[i] == '\n') {
                line++;
                begin = i + 1;
            }
        }
        return new JsonFormatException(
                what + " (line " + line + ", column " + (at - begin + 1) + ")", at >= text.length);
    }

    /** Returns the next byte that is no space, without taking it; -1 at the end. */
    private int peek() {
        while (at < text.length) {
            byte next = text[at];
            if (next != ' ' && next != '\n' && next != '\r' && next != '\t') {
                return next & 0xFF;
            }
            at++;
        }
        return -1;
    }

    private boolean takes(char wanted) {
        if (peek() == wanted) {
            at++;
            return true;
        }
        return false;
    }

    private void require(char wanted) {
        if (!takes(wanted)) {
            throw wrong("'" + wanted + "' is missing");
        }
    }

    private @Nullable Object value(int depth) {
        if (depth > limits.depth) {
            throw wrong("it is nested deeper than " + limits.depth + " levels");
        }
        if (++values > limits.values) {
            throw wrong("it has more than " + limits.values + " values");
        }
        return switch (peek()) {
            case '{' -> object(depth);
            case '[' -> array(depth);
            case '"' -> string();
            case 't' -> word("true", true);
            case 'f' -> word("false", false);
            case 'n' -> word("null", null);
            default -> number();
        };
    }

    private @Nullable Object word(String word, @Nullable Object value) {
        for (int i = 0; i < word.length(); i++, at++) {
            if (at >= text.length || text[at] != word.charAt(i)) {
                throw wrong("there is no such word");
            }
        }
        return value;
    }

    private Map<String, @Nullable Object> object(int depth) {
        var members = new LinkedHashMap<String, @Nullable Object>();
        require('{');
        if (takes('}')) {
            return members;
        }
        do {
            if (peek() != '"') {
                throw wrong("a name is missing");
            }
            String name = string();
            if (limits.uniqueNames && members.containsKey(name)) {
                throw wrong("'" + name + "' stands twice");
            }
            require(':');
            members.put(name, value(depth + 1));
        } while (takes(','));
        require('}');
        return members;
    }

    private List<@Nullable Object> array(int depth) {
        var items = new ArrayList<@Nullable Object>();
        require('[');
        if (takes(']')) {
            return items;
        }
        do {
            items.add(value(depth + 1));
        } while (takes(','));
        require(']');
        return items;
    }

    private Double number() {
        int start = at;
        at += at < text.length && text[at] == '-' ? 1 : 0;
        int first = at;
        long whole = digits();
        int count = at - first;
        if (count == 0) {
            throw at < text.length
                    ? wrong(shown(text[at]) + " stands where a value belongs")
                    : wrong("a value is missing");
        }
        if (count > 1 && text[first] == '0') {
            at = first;
            throw wrong("a number begins with 0");
        }
        int end = at;
        if (at < text.length && text[at] == '.') {
            at++;
            requireDigits();
        }
        if (at < text.length && (text[at] | 0x20) == 'e') {
            at++;
            at += at < text.length && (text[at] == '+' || text[at] == '-') ? 1 : 0;
            requireDigits();
        }
        if (at == end && count <= EXACT_DIGITS && (whole != 0 || first == start)) {
            return (double) (first == start ? whole : -whole);
        }
        return Double.valueOf(new String(text, start, at - start, StandardCharsets.ISO_8859_1));
    }

    /** Takes digits; returns their number, which is right if they are few. */
    private long digits() {
        long number = 0;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            number = 10 * number + text[at++] - '0';
        }
        return number;
    }

    private void requireDigits() {
        int start = at;
        digits();
        if (at == start) {
            throw wrong("a digit is missing");
        }
    }

    private static String shown(byte each) {
        return each > ' ' ? "'" + (char) each + "'" : "the byte 0x" + Integer.toHexString(each & 0xFF);
    }

    private String string() {
        int start = ++at;
        byte seen = 0;
        while (at < text.length) {
            byte next = text[at];
            if (next == '"') {
                String string = decoded(start, at, seen < 0);
                at++;
                return string;
            }
            if (next == '\\') {
                return escapedString(start);
            }
            checkControl(next);
            seen |= next;
            at++;
        }
        throw wrong("a text has no end");
    }

    private void checkControl(byte next) {
        if (next >= 0 && next < ' ') {
            throw wrong("a text holds a control character");
        }
    }

    /** Returns the text of bytes without escapes. */
    private String decoded(int start, int end, boolean hasOthersThanAscii) {
        if (!hasOthersThanAscii) {
            return new String(text, start, end - start, StandardCharsets.ISO_8859_1);
        }
        String string = new String(text, start, end - start, StandardCharsets.UTF_8);
        if (string.indexOf(REPLACEMENT) >= 0) {
            // the text has this character, or bytes that are no UTF-8
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(text, start, end - start))
                        .toString();
            } catch (CharacterCodingException _) {
                at = start;
                throw wrong("a text is not in UTF-8");
            }
        }
        return string;
    }

    /** Returns a text with escapes, the first of which is the next byte. */
    private String escapedString(int start) {
        var result = new StringBuilder();
        int plain = start;
        while (at < text.length) {
            byte next = text[at];
            if (next == '"' || next == '\\') {
                result.append(decoded(plain, at, true));
                at++;
                if (next == '"') {
                    return result.toString();
                }
                result.append(escaped());
                plain = at;
            } else {
                checkControl(next);
                at++;
            }
        }
        throw wrong("a text has no end");
    }

    private char escaped() {
        int name = at < text.length ? text[at++] : -1;
        int known = ESCAPES.indexOf(name);
        if (known >= 0) {
            return ESCAPED.charAt(known);
        }
        if (name != 'u') {
            throw wrong("there is no such escape");
        }
        int unit = 0;
        for (int i = 0; i < HEX_DIGITS; i++, at++) {
            int digit = at < text.length ? Character.digit(text[at], HEX) : -1;
            if (digit < 0) {
                throw wrong("an escape has four hexadecimal digits");
            }
            unit = HEX * unit + digit;
        }
        return (char) unit;
    }
}
