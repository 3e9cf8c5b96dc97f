package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes values as JSON with Python's separators, as {@code tojson} of chat templates does. */
final class TemplateJson {
    private final Steps steps;
    private final @Nullable String indent;
    private final String comma;
    private final String colon;
    private final boolean ascii;
    private final boolean sorted;
    private final StringBuilder out = new StringBuilder();

    private TemplateJson(Arguments arguments, Steps steps) {
        this.steps = steps;
        this.indent = indent(arguments.get("indent", null), steps);
        var separators = arguments.get("separators", null) instanceof List<?> list && list.size() == 2 ? list : null;
        this.comma = separators != null ? Texts.text(separators.getFirst(), steps) : indent == null ? ", " : ",";
        this.colon = separators != null ? Texts.text(separators.getLast(), steps) : ": ";
        this.ascii = arguments.flag("ensure_ascii", false);
        this.sorted = arguments.flag("sort_keys", false);
    }

    private static @Nullable String indent(@Nullable Object width, Steps steps) {
        return switch (width) {
            case null -> null;
            case String text -> text;
            case Long number -> Sequences.repeated(" ", number, steps);
            default -> throw new Failure("the argument 'indent' is " + Values.kind(width) + " and no integer");
        };
    }

    static String of(@Nullable Object value, Arguments arguments, Steps steps) {
        var json = new TemplateJson(arguments, steps);
        json.write(value, 0);
        return json.out.toString();
    }

    private void write(@Nullable Object value, int depth) {
        steps.enter();
        steps.requireLength(out.length());
        switch (value) {
            case null -> out.append("null");
            case Boolean flag -> out.append(flag.booleanValue());
            case Long number -> out.append(number.longValue());
            case Double number -> out.append(number(number));
            case String text -> quote(text);
            case List<?> list -> list(list, depth);
            case Map<?, ?> map -> map(map, depth);
            default -> throw new Failure(Values.kind(value) + " cannot be written as JSON");
        }
        steps.leave();
    }

    private static String number(double number) {
        if (Double.isFinite(number)) {
            return TemplateNumbers.text(number);
        }
        return Double.isNaN(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
    }

    private void list(List<?> list, int depth) {
        out.append('[');
        boolean first = true;
        for (Object element : list) {
            separate(first, depth + 1);
            first = false;
            write(element, depth + 1);
        }
        close(']', first, depth);
    }

    private void map(Map<?, ?> map, int depth) {
        out.append('{');
        boolean first = true;
        for (Map.Entry<?, ?> entry : entries(map)) {
            separate(first, depth + 1);
            first = false;
            quote(key(entry.getKey()));
            out.append(colon);
            write(entry.getValue(), depth + 1);
        }
        close('}', first, depth);
    }

    private List<Map.Entry<?, ?>> entries(Map<?, ?> map) {
        var all = new ArrayList<Map.Entry<?, ?>>(map.entrySet());
        if (sorted) {
            all.sort((a, b) -> ValueComparisons.compare(a.getKey(), b.getKey(), steps));
        }
        return all;
    }

    private String key(@Nullable Object key) {
        return switch (key) {
            case null -> "null";
            case Boolean flag -> flag.toString();
            case Double number -> number(number);
            default -> Texts.text(key, steps);
        };
    }

    private void separate(boolean first, int depth) {
        out.append(first ? "" : comma);
        newLine(depth);
    }

    private void close(char bracket, boolean empty, int depth) {
        if (!empty) {
            newLine(depth);
        }
        out.append(bracket);
    }

    private void newLine(int depth) {
        if (indent != null) {
            steps.requireLength(out.length() + (long) depth * indent.length());
            steps.chars((long) depth * indent.length());
            out.append('\n').repeat(indent, depth);
        }
    }

    private void quote(String text) {
        steps.chars(text.length());
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            steps.requireLength(out.length());
            int simple = "\"\\\n\r\t\b\f".indexOf(c);
            if (simple >= 0) {
                out.append('\\').append("\"\\nrtbf".charAt(simple));
            } else if (c < ' ' || ascii && c > '~') {
                out.append("\\u%04x".formatted((int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
