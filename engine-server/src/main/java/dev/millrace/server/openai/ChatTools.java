package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.ChatGenerator;
import dev.millrace.text.ChatTemplate;
import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import dev.millrace.text.ToolCall;
import dev.millrace.text.ToolCallSplitter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The tools that a chat may call.
 *
 * @param functions the schema of the arguments by the name of each function
 * @param descriptions the tools as the request describes them
 * @param required the functions one of which the answer has to call; empty if it may be a text
 * @param several whether an answer may have more than one call
 */
record ChatTools(
        Map<String, Map<String, @Nullable Object>> functions,
        List<Map<String, @Nullable Object>> descriptions,
        List<String> required,
        boolean several) {
    private static final String FUNCTION = "function";
    private static final String NAME = "name";

    /** Reads {@code tools}, {@code tool_choice} and {@code parallel_tool_calls}. */
    static ChatTools of(OpenAiRequest request) {
        var functions = new LinkedHashMap<String, Map<String, @Nullable Object>>();
        var descriptions = new ArrayList<Map<String, @Nullable Object>>();
        for (Object tool : request.values().get("tools") == null ? List.of() : request.list("tools")) {
            if (!(tool instanceof Map<?, ?> description
                    && description.get(FUNCTION) instanceof Map<?, ?> function
                    && function.get(NAME) instanceof String name)) {
                throw EngineException.invalidArgument(
                        "a tool is an object of the type 'function' with a 'function' that has a name");
            }
            functions.put(name, arguments(name, function.get("parameters")));
            descriptions.add(texts(description));
        }
        boolean several = !Boolean.FALSE.equals(request.values().get("parallel_tool_calls"));
        Object choice = request.values().get("tool_choice");
        if ("none".equals(choice)) {
            return new ChatTools(Map.of(), List.of(), List.of(), several);
        }
        return new ChatTools(functions, descriptions, required(choice, functions), several);
    }

    /** Returns the schema of a function's arguments. */
    private static Map<String, @Nullable Object> arguments(String name, @Nullable Object schema) {
        return switch (schema) {
            case null -> Map.of("type", "object");
            case Map<?, ?> map -> texts(map);
            default -> throw EngineException.invalidArgument("the parameters of '" + name + "' are a JSON schema");
        };
    }

    private static Map<String, @Nullable Object> texts(Map<?, ?> map) {
        var copy = new LinkedHashMap<String, @Nullable Object>();
        map.forEach((key, value) -> copy.put(String.valueOf(key), value));
        return copy;
    }

    private static List<String> required(@Nullable Object choice, Map<String, ?> functions) {
        if (choice == null || "auto".equals(choice)) {
            return List.of();
        }
        if (functions.isEmpty()) {
            throw EngineException.invalidArgument("'tool_choice' asks for a call, and the request has no 'tools'");
        }
        if ("required".equals(choice)) {
            return List.copyOf(functions.keySet());
        }
        Object function = choice instanceof Map<?, ?> map ? map.get(FUNCTION) : null;
        if (function instanceof Map<?, ?> named && named.get(NAME) instanceof String name) {
            if (!functions.containsKey(name)) {
                throw EngineException.invalidArgument(
                        "'tool_choice' names '" + name + "'; the tools are " + functions.keySet());
            }
            return List.of(name);
        }
        throw EngineException.invalidArgument(
                "'tool_choice' is 'none', 'auto', 'required' or an object with the name of a function");
    }

    boolean areOffered() {
        return !functions.isEmpty();
    }

    /** Returns a generator whose prompts describe the tools. */
    ChatGenerator shownTo(ChatGenerator chats) {
        return areOffered()
                ? chats.with(ChatTemplate.Options.builder().tools(descriptions).build())
                : chats;
    }

    /** Returns the rule that lets the answer be one call of a required function; null if none is required. */
    @Nullable
    TokenConstraint constraint(Tokenizer tokenizer) {
        if (required.isEmpty()) {
            return null;
        }
        List<Object> calls = required.stream().map(this::callSchema).toList();
        byte[] schema = JsonTree.bytes(Map.of("anyOf", calls));
        return TextConstraint.jsonSchema(tokenizer, new String(schema, StandardCharsets.UTF_8));
    }

    private Object callSchema(String name) {
        var properties = new LinkedHashMap<String, Object>();
        properties.put(NAME, Map.of("const", name));
        properties.put("arguments", functions.getOrDefault(name, Map.of()));
        return Map.of(
                "type",
                "object",
                "properties",
                properties,
                "required",
                List.of(NAME, "arguments"),
                "additionalProperties",
                false);
    }

    /** Returns what finds the calls in one answer; calls of other functions are a text. */
    ToolCallSplitter splitter() {
        return new ToolCallSplitter(calls -> calls.stream().map(ToolCall::name).allMatch(functions::containsKey));
    }

    /**
     * Returns calls as an answer tells them.
     *
     * @param areIndexed whether each call has its index, as in streams
     */
    List<Map<String, Object>> called(List<ToolCall> calls, boolean areIndexed) {
        var all = new ArrayList<Map<String, Object>>();
        for (ToolCall call : several ? calls : calls.subList(0, 1)) {
            var tree = new LinkedHashMap<String, Object>();
            if (areIndexed) {
                tree.put("index", all.size());
            }
            tree.put("id", "call_" + UUID.randomUUID().toString().replace("-", ""));
            tree.put("type", FUNCTION);
            String arguments = new String(JsonTree.bytes(call.arguments()), StandardCharsets.UTF_8);
            tree.put(FUNCTION, Map.of(NAME, call.name(), "arguments", arguments));
            all.add(tree);
        }
        return all;
    }
}
