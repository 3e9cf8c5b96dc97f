package dev.millrace.text.template;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The filters that make texts. */
final class TextFilters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("trim", "chars", text((s, a, _) -> Strings.strip(s, a.textOrNull("chars"), true, true)))
            .add("upper", "", text((s, _, _) -> Strings.upper(s)))
            .add("lower", "", text((s, _, _) -> Strings.lower(s)))
            .add("capitalize", "", text((s, _, _) -> Strings.capitalize(s)))
            .add("title", "", text((s, _, _) -> Strings.title(s, TextFilters::beginsWord)))
            .add("replace", "old new count", text(TextFilters::replace))
            .add("string", "", text((s, _, _) -> s))
            .add("safe", "", text((s, _, _) -> s))
            .add("escape", "", text(TextFilters::escape))
            .alias("e", "escape")
            .add("indent", "width first blank", text(TextFilters::indent))
            .add("wordcount", "", text((s, _, _) -> words(s)))
            .open("format", text(TextFilters::format))
            .add("join", "d attribute", TextFilters::join)
            .add("tojson", "indent ensure_ascii separators sort_keys", (value, a, n) -> TemplateJson.of(value, a, n));

    private TextFilters() {}

    private interface TextFilter {
        Object apply(String text, Arguments arguments, Steps steps);
    }

    private static Builtin.Body text(TextFilter filter) {
        return (value, arguments, steps) -> {
            String text = Texts.text(value, steps);
            steps.chars(text.length());
            return filter.apply(text, arguments, steps);
        };
    }

    private static boolean beginsWord(int c) {
        return Chars.isSpace(c) || "-({[<".indexOf(c) >= 0;
    }

    private static Object replace(String text, Arguments arguments, Steps steps) {
        return Strings.replace(
                text,
                Texts.text(arguments.get("old"), steps),
                Texts.text(arguments.get("new"), steps),
                arguments.get("count", null) == null ? -1 : arguments.integer("count"),
                steps);
    }

    private static Object escape(String text, Arguments arguments, Steps steps) {
        var out = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            steps.requireLength(out.length());
            switch (text.charAt(i)) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&#34;");
                case '\'' -> out.append("&#39;");
                default -> out.append(text.charAt(i));
            }
        }
        steps.chars(out.length());
        return out.toString();
    }

    private static Object indent(String text, Arguments arguments, Steps steps) {
        Object width = arguments.get("width", 4L);
        String margin =
                width instanceof String given ? given : Sequences.repeated(" ", arguments.integer("width", 4), steps);
        boolean blank = arguments.flag("blank", false);
        List<? extends @Nullable Object> lines = Strings.lines(text + "\n", false, steps);
        steps.chars(text.length() + (long) margin.length() * lines.size());
        String begin = arguments.flag("first", false) ? margin : "";
        return begin
                + lines.getFirst()
                + lines.stream()
                        .skip(1)
                        .map(line -> "\n" + (blank || !"".equals(line) ? margin : "") + line)
                        .collect(Collectors.joining());
    }

    private static Object words(String text) {
        long words = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            boolean letter = Character.isLetterOrDigit(text.charAt(i)) || text.charAt(i) == '_';
            words += letter && !inside ? 1 : 0;
            inside = letter;
        }
        return words;
    }

    private static Object format(String format, Arguments arguments, Steps steps) {
        Object values = arguments.named().isEmpty() ? new Tuple(List.of(), arguments.positional()) : arguments.named();
        return PercentFormat.of(format, values, steps);
    }

    private static Object join(@Nullable Object value, Arguments arguments, Steps steps) {
        String separator = Texts.text(arguments.get("d", ""), steps);
        Object attribute = arguments.get("attribute", null);
        List<@Nullable Object> parts = Sequences.copy(value, steps);
        if (attribute != null) {
            parts.replaceAll(each -> Access.path(each, attribute));
        }
        return Strings.join(separator, parts, steps);
    }
}
