package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The messages of a chat and the form of its answer, as a request has them. */
final class ChatBody {
    private ChatBody() {}

    static List<ChatMessage> messages(OpenAiRequest request) {
        List<?> messages = request.list("messages");
        if (messages.isEmpty()) {
            throw EngineException.invalidArgument("'messages' is empty");
        }
        return messages.stream().map(ChatBody::message).toList();
    }

    private static ChatMessage message(Object value) {
        if (!(value instanceof Map<?, ?> message) || !(message.get("role") instanceof String role)) {
            throw EngineException.invalidArgument("a message is an object with a role and a content");
        }
        var built = ChatMessage.builder(role).content(content(message.get("content")));
        if (message.get("name") instanceof String name) {
            built.name(name);
        }
        if (message.get("tool_call_id") instanceof String id) {
            built.toolCallId(id);
        }
        if (message.get("tool_calls") instanceof List<?> calls) {
            built.toolCalls(calls.stream().map(ChatBody::call).toList());
        }
        return built.build();
    }

    /** Returns a call as templates show it: its arguments are an object, which the request has as a text. */
    private static Map<String, @Nullable Object> call(Object value) {
        if (!(value instanceof Map<?, ?> call
                && call.get("function") instanceof Map<?, ?> function
                && function.get("name") instanceof String name)) {
            throw EngineException.invalidArgument("a call of a tool is an object with a function that has a name");
        }
        var shown = new LinkedHashMap<String, @Nullable Object>();
        if (call.get("id") instanceof String id) {
            shown.put("id", id);
        }
        shown.put("type", "function");
        shown.put("function", Map.of("name", name, "arguments", arguments(function.get("arguments"))));
        return shown;
    }

    private static Object arguments(@Nullable Object arguments) {
        return switch (arguments) {
            case null -> Map.of();
            case String text when text.isBlank() -> Map.of();
            case String text -> JsonTree.readObject(text.getBytes(StandardCharsets.UTF_8));
            case Map<?, ?> map -> map;
            default -> throw EngineException.invalidArgument("the arguments of a call are a text of a JSON object");
        };
    }

    private static String content(@Nullable Object content) {
        return switch (content) {
            case null -> "";
            case String text -> text;
            case List<?> parts -> parts.stream().map(ChatBody::part).collect(Collectors.joining());
            default -> throw EngineException.invalidArgument("the content of a message is a text or a list of parts");
        };
    }

    private static String part(Object part) {
        if (part instanceof Map<?, ?> map && "text".equals(map.get("type")) && map.get("text") instanceof String text) {
            return text;
        }
        throw EngineException.invalidArgument("a part of a message is a text; images and sounds are not read");
    }

    /** Returns what the answer has to be like, or null for any text. */
    static @Nullable TokenConstraint constraint(OpenAiRequest request, Tokenizer tokenizer) {
        Object asked = request.values().get("response_format");
        if (asked == null) {
            return null;
        }
        if (!(asked instanceof Map<?, ?> format)) {
            throw EngineException.invalidArgument("'response_format' is an object with a type");
        }
        return switch (String.valueOf(format.get("type"))) {
            case "text" -> null;
            case "json_object" -> TextConstraint.json(tokenizer);
            case "json_schema" -> {
                if (!(format.get("json_schema") instanceof Map<?, ?> named
                        && named.get("schema") instanceof Map<?, ?> schema)) {
                    throw EngineException.invalidArgument(
                            "'response_format' of the type json_schema has a json_schema with a schema");
                }
                yield TextConstraint.jsonSchema(tokenizer, new String(JsonTree.bytes(schema), StandardCharsets.UTF_8));
            }
            default -> throw EngineException.invalidArgument("response_format is text, json_object or json_schema");
        };
    }
}
