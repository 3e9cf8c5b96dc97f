package dev.millrace.session.modelpackage;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON of objects, arrays, texts, numbers, {@code true}, {@code false} and {@code null}, as Java's maps, lists,
 * strings, doubles, booleans and null. A name that stands twice in an object is an error, and so is nesting that no
 * manifest has.
 */
final class ManifestJson {
    private static final int DEEPEST = 32;
    private static final String PLAIN_ESCAPES = "\"\\/";
    private static final String NAMED_ESCAPES = "bfnrt";
    private static final String NAMED_CHARACTERS = "\b\f\n\r\t";
    private static final int HEX = 16;
    private static final int HEX_DIGITS = 4;

    private final String text;
    private int at;

    private ManifestJson(String text) {
        this.text = text;
    }

    /** Throws an {@link IllegalArgumentException} that says where a text is none. */
    static @Nullable Object parse(String text) {
        var json = new ManifestJson(text);
        Object value = json.value(0);
        json.space();
        if (json.at < text.length()) {
            throw json.wrong("something follows it");
        }
        return value;
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("it is no JSON at character " + at + ": " + what);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    /** The next character that is no space, without taking it; 0 at the end. */
    private char peek() {
        space();
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean takes(char wanted) {
        boolean there = peek() == wanted;
        at += there ? 1 : 0;
        return there;
    }

    private void require(char wanted) {
        if (!takes(wanted)) {
            throw wrong("'" + wanted + "' is missing");
        }
    }

    private @Nullable Object value(int depth) {
        if (depth > DEEPEST) {
            throw wrong("it is nested deeper than " + DEEPEST + " levels");
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
        if (!text.startsWith(word, at)) {
            throw wrong("there is no such word");
        }
        at += word.length();
        return value;
    }

    private Double number() {
        int start = at;
        while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        try {
            return Double.valueOf(text.substring(start, at));
        } catch (NumberFormatException _) {
            at = start;
            throw wrong("a value is missing");
        }
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
            if (members.containsKey(name)) {
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

    private String string() {
        var result = new StringBuilder();
        for (at++; ; at++) {
            char next = character();
            if (next == '"') {
                at++;
                return result.toString();
            }
            if (next < ' ') {
                throw wrong("a text holds a control character");
            }
            if (next == '\\') {
                at++;
                next = escaped(character());
            }
            result.append(next);
        }
    }

    private char character() {
        if (at >= text.length()) {
            throw wrong("a text has no end");
        }
        return text.charAt(at);
    }

    private char escaped(char name) {
        if (PLAIN_ESCAPES.indexOf(name) >= 0) {
            return name;
        }
        int known = NAMED_ESCAPES.indexOf(name);
        if (known >= 0) {
            return NAMED_CHARACTERS.charAt(known);
        }
        if (name != 'u' || at + HEX_DIGITS >= text.length()) {
            throw wrong("there is no such escape");
        }
        try {
            char unit = (char) Integer.parseInt(text, at + 1, at + 1 + HEX_DIGITS, HEX);
            at += HEX_DIGITS;
            return unit;
        } catch (NumberFormatException _) {
            throw wrong("an escape has four hexadecimal digits");
        }
    }
}
