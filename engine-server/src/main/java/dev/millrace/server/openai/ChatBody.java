package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.session.generate.TokenConstraint;
import dev.millrace.text.ChatMessage;
import dev.millrace.text.TextConstraint;
import dev.millrace.text.Tokenizer;
import java.nio.charset.StandardCharsets;
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
        return built.build();
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
        if (!(request.values().get("response_format") instanceof Map<?, ?> format)) {
            return null;
        }
        return switch (String.valueOf(format.get("type"))) {
            case "text" -> null;
            case "json_object" -> TextConstraint.json(tokenizer);
            case "json_schema" -> {
                Object schema = format.get("json_schema") instanceof Map<?, ?> named ? named.get("schema") : null;
                yield TextConstraint.jsonSchema(tokenizer, new String(JsonTree.bytes(schema), StandardCharsets.UTF_8));
            }
            default -> throw EngineException.invalidArgument("response_format is text, json_object or json_schema");
        };
    }
}
