package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds calls of tools in answers. An answer that only resembles a call is a text. */
final class ToolCallParser {
    private static final String CALL = "<tool_call>";
    private static final String CALL_END = "</tool_call>";
    private static final String FUNCTION = "<function=";
    private static final String FUNCTION_END = "</function>";
    private static final List<String> MARKS = List.of("[TOOL_CALLS]", "<|tool_call|>", "<|python_tag|>", "Action:");
    /** Marks that may end what follows a mark. */
    private static final List<String> END_MARKS = List.of("<|/tool_call|>", "<|eom_id|>", "<|eot_id|>", "</s>", "```");

    private static final List<String> NAMES = List.of("name", "tool_name");
    private static final List<String> ARGUMENTS = List.of("arguments", "parameters");

    private ToolCallParser() {}

    static List<ToolCall> calls(String answer) {
        if (answer.contains(CALL)) {
            return between(answer, CALL, CALL_END, ToolCallParser::json);
        }
        if (answer.contains(FUNCTION)) {
            return between(answer, FUNCTION, FUNCTION_END, ToolCallParser::function);
        }
        String text = answer.strip();
        for (String mark : MARKS) {
            int at = text.indexOf(mark);
            if (at >= 0) {
                return json(unfenced(text.substring(at + mark.length())));
            }
        }
        return text.startsWith("{") || text.startsWith("[") ? json(text) : List.of();
    }

    /** Returns the texts that calls begin with, except for those that are an answer of JSON. */
    static List<String> marks() {
        var all = new ArrayList<>(MARKS);
        all.add(CALL);
        all.add(FUNCTION);
        return all;
    }

    private interface Part {
        List<ToolCall> calls(String text);
    }

    /** Returns the calls between marks. The last end mark may be missing, as it often is a stop token. */
    private static List<ToolCall> between(String answer, String begin, String end, Part part) {
        var all = new ArrayList<ToolCall>();
        int at = answer.indexOf(begin);
        while (at >= 0) {
            int from = at + begin.length();
            int to = answer.indexOf(end, from);
            all.addAll(part.calls(answer.substring(from, to < 0 ? answer.length() : to)));
            at = to < 0 ? -1 : answer.indexOf(begin, to);
        }
        return List.copyOf(all);
    }

    /** Reads {@code name>{…}}. */
    private static List<ToolCall> function(String text) {
        int at = text.indexOf('>');
        Json arguments = at <= 0 ? null : parsed(text.substring(at + 1));
        return arguments != null && arguments.isObject()
                ? List.of(new ToolCall(text.substring(0, at).strip(), map(arguments)))
                : List.of();
    }

    private static String unfenced(String text) {
        String rest = text.strip();
        for (String fence : List.of("```json", "```")) {
            rest = rest.startsWith(fence) ? rest.substring(fence.length()) : rest;
        }
        for (String mark : END_MARKS) {
            int at = rest.lastIndexOf(mark);
            rest = at < 0 ? rest : rest.substring(0, at);
        }
        return rest;
    }

    /** Reads one call, or a list of calls. */
    private static List<ToolCall> json(String text) {
        Json json = parsed(text);
        if (json == null) {
            return List.of();
        }
        var all = new ArrayList<ToolCall>();
        for (Json each : json.isList() ? json.elements() : List.of(json)) {
            ToolCall call = call(each);
            if (call == null) {
                return List.of();
            }
            all.add(call);
        }
        return List.copyOf(all);
    }

    private static @Nullable ToolCall call(Json json) {
        if (!json.isObject()) {
            return null;
        }
        Json call = json.get("function").isObject() ? json.get("function") : json;
        Json name = first(call, NAMES);
        Json arguments = first(call, ARGUMENTS);
        // some models write the arguments as a text that is JSON
        Json read = arguments.isText() ? parsed(arguments.text()) : arguments;
        if (!name.isText() || read == null || !read.isObject() && !read.isNull()) {
            return null;
        }
        return new ToolCall(name.text(), read.isNull() ? Map.of() : map(read));
    }

    private static Json first(Json json, List<String> names) {
        for (String name : names) {
            if (!json.get(name).isNull()) {
                return json.get(name);
            }
        }
        return json.get(names.getFirst());
    }

    private static @Nullable Json parsed(String text) {
        try {
            return Json.parse(text.strip().getBytes(StandardCharsets.UTF_8), "call of a tool");
        } catch (EngineException e) {
            return null;
        }
    }

    private static Map<String, @Nullable Object> map(Json json) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        json.properties().forEach((key, value) -> map.put(key, value(value)));
        return map;
    }

    private static @Nullable Object value(Json json) {
        if (json.isNull()) {
            return null;
        }
        if (json.isObject()) {
            return map(json);
        }
        if (json.isList()) {
            var list = new ArrayList<@Nullable Object>();
            json.elements().forEach(each -> list.add(value(each)));
            return list;
        }
        if (json.isText()) {
            return json.text();
        }
        return json.isNumber() ? number(json.number()) : (Object) json.flag(false);
    }

    private static Object number(double number) {
        return number == Math.rint(number) && Math.abs(number) < 1L << 53 ? (Object) (long) number : (Object) number;
    }
}
