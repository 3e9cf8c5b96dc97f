package dev.millrace.text;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads and writes JSON as maps, lists, strings, decimals, booleans and null. It accepts nothing but JSON. */
final class JsonText {
    private final String text;
    private int at;

    private JsonText(String text) {
        this.text = text;
    }

    static @Nullable Object read(String text) {
        var reader = new JsonText(text);
        Object value = reader.value();
        reader.space();
        if (reader.at < text.length()) {
            throw reader.refused();
        }
        return value;
    }

    static String write(@Nullable Object value) {
        return switch (value) {
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .map(each -> write(each.getKey()) + ":" + write(each.getValue()))
                        .collect(Collectors.joining(",", "{", "}"));
            case List<?> list -> list.stream().map(JsonText::write).collect(Collectors.joining(",", "[", "]"));
            case String string -> "\"" + string.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
            case null, default -> String.valueOf(value);
        };
    }

    private IllegalArgumentException refused() {
        return new IllegalArgumentException("no JSON at " + at + ": " + text);
    }

    private void space() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private boolean take(String next) {
        boolean there = text.startsWith(next, at);
        at += there ? next.length() : 0;
        return there;
    }

    private void require(String next) {
        if (!take(next)) {
            throw refused();
        }
    }

    private @Nullable Object value() {
        space();
        if (take("{")) {
            return object();
        }
        if (take("[")) {
            return list();
        }
        if (take("\"")) {
            return string();
        }
        if (take("true")) {
            return true;
        }
        if (take("false")) {
            return false;
        }
        if (take("null")) {
            return null;
        }
        return number();
    }

    private BigDecimal number() {
        var matcher = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
                .matcher(text)
                .region(at, text.length());
        if (!matcher.lookingAt()) {
            throw refused();
        }
        at = matcher.end();
        return new BigDecimal(matcher.group());
    }

    private Map<String, @Nullable Object> object() {
        var map = new LinkedHashMap<String, @Nullable Object>();
        space();
        if (take("}")) {
            return map;
        }
        do {
            space();
            require("\"");
            String name = string();
            space();
            require(":");
            map.put(name, value());
            space();
        } while (take(","));
        require("}");
        return map;
    }

    private List<@Nullable Object> list() {
        var list = new ArrayList<@Nullable Object>();
        space();
        if (take("]")) {
            return list;
        }
        do {
            list.add(value());
            space();
        } while (take(","));
        require("]");
        return list;
    }

    private String string() {
        var string = new StringBuilder();
        while (at < text.length()) {
            char each = text.charAt(at++);
            if (each == '"') {
                return string.toString();
            }
            if (each < ' ') {
                throw refused();
            }
            if (each != '\\') {
                string.append(each);
                continue;
            }
            char kind = at < text.length() ? text.charAt(at++) : '\0';
            int known = "\"\\/bfnrt".indexOf(kind);
            if (known >= 0) {
                string.append("\"\\/\b\f\n\r\t".charAt(known));
            } else if (kind == 'u' && text.substring(at).matches("(?s)[0-9a-fA-F]{4}.*")) {
                string.append((char) Integer.parseInt(text, at, at + 4, 16));
                at += 4;
            } else {
                throw refused();
            }
        }
        throw refused();
    }
}
