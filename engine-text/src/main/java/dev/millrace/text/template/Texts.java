package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts of values: Python's {@code str}, and {@code repr} inside of lists and dicts. */
final class Texts {
    private Texts() {}

    static String text(@Nullable Object value, Steps steps) {
        if (value instanceof String text) {
            return text;
        }
        var out = new StringBuilder();
        if (!(value instanceof Undefined)) {
            write(value, out, steps);
        }
        return out.toString();
    }

    static String repr(@Nullable Object value, Steps steps) {
        var out = new StringBuilder();
        write(value, out, steps);
        return out.toString();
    }

    private static void write(@Nullable Object value, StringBuilder out, Steps steps) {
        steps.enter();
        steps.requireLength(out.length());
        switch (value) {
            case null -> out.append("None");
            case Undefined _ -> out.append("Undefined");
            case Boolean flag -> out.append(flag ? "True" : "False");
            case Long number -> out.append(number.longValue());
            case Double number -> out.append(TemplateNumbers.text(number));
            case String text -> quote(text, out, steps);
            case IntegerRange range -> out.append(range.described());
            case Tuple tuple -> {
                list(tuple, '(', out, steps);
                out.append(tuple.size() == 1 ? ",)" : ")");
            }
            case List<?> list -> {
                list(list, '[', out, steps);
                out.append(']');
            }
            case Map<?, ?> map -> map(map, out, steps);
            case Namespace namespace -> {
                out.append("<Namespace ");
                map(namespace.attributes(), out, steps);
                out.append('>');
            }
            default -> out.append("<function>");
        }
        steps.leave();
    }

    private static void list(List<?> list, char open, StringBuilder out, Steps steps) {
        out.append(open);
        String comma = "";
        for (Object element : list) {
            out.append(comma);
            write(element, out, steps);
            comma = ", ";
        }
    }

    private static void map(Map<?, ?> map, StringBuilder out, Steps steps) {
        out.append('{');
        String comma = "";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            out.append(comma);
            write(entry.getKey(), out, steps);
            out.append(": ");
            write(entry.getValue(), out, steps);
            comma = ", ";
        }
        out.append('}');
    }

    private static void quote(String text, StringBuilder out, Steps steps) {
        steps.chars(text.length());
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        text.codePoints().forEach(c -> {
            steps.requireLength(out.length());
            quoted(c, quote, out);
        });
        out.append(quote);
    }

    private static void quoted(int c, char quote, StringBuilder out) {
        switch (c) {
            case '\n' -> out.append("\\n");
            case '\r' -> out.append("\\r");
            case '\t' -> out.append("\\t");
            case '\\' -> out.append("\\\\");
            default -> {
                if (c == quote) {
                    out.append('\\').append(quote);
                } else if (Chars.isPrintable(c)) {
                    out.appendCodePoint(c);
                } else {
                    out.append(
                            c < 0x100
                                    ? "\\x%02x".formatted(c)
                                    : c < 0x10000 ? "\\u%04x".formatted(c) : "\\U%08x".formatted(c));
                }
            }
        }
    }
}
