package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.text.template.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message of a chat. Values inside of maps and lists are strings, numbers, booleans, null, lists and maps.
 *
 * @param role the role of its author: system, user, assistant, tool, or another one that the model knows
 * @param content its text, a list of parts such as {@code {"type": "text", "text": "…"}}, or null for none
 * @param toolCalls the calls of tools that the assistant asks for
 * @param toolCallId the id of the call that the message answers
 * @param name the name of the author, or of the tool
 * @param fields further fields that the template may look at
 */
public record ChatMessage(
        String role,
        @Nullable Object content,
        List<Map<String, @Nullable Object>> toolCalls,
        @Nullable String toolCallId,
        @Nullable String name,
        Map<String, @Nullable Object> fields) {
    private static final String CONTENT = "content";

    public ChatMessage {
        ApiBoundary.requireArgument(role, "role");
        if (content != null && !(content instanceof String) && !(content instanceof List)) {
            throw EngineException.invalidArgument("the content of a message is a text or a list of parts, and not a "
                    + content.getClass().getName());
        }
        content = Values.copyOf(content, CONTENT);
        toolCalls = Values.copyOfMaps(ApiBoundary.requireArgument(toolCalls, "toolCalls"), "toolCalls");
        fields = Values.copyOfMap(ApiBoundary.requireArgument(fields, "fields"), "fields");
    }

    public static ChatMessage system(String text) {
        return text("system", text);
    }

    public static ChatMessage user(String text) {
        return text("user", text);
    }

    public static ChatMessage assistant(String text) {
        return text("assistant", text);
    }

    /** Returns the answer of a tool to a call. */
    public static ChatMessage tool(String toolCallId, String text) {
        return builder("tool")
                .content(ApiBoundary.requireArgument(text, "text"))
                .toolCallId(ApiBoundary.requireArgument(toolCallId, "toolCallId"))
                .build();
    }

    private static ChatMessage text(String role, String text) {
        return builder(role).content(ApiBoundary.requireArgument(text, "text")).build();
    }

    public static Builder builder(String role) {
        return new Builder(role);
    }

    /** Returns a builder that starts from this message. */
    public Builder toBuilder() {
        var builder = new Builder(role);
        builder.content = content;
        builder.toolCalls = toolCalls;
        builder.toolCallId = toolCallId;
        builder.name = name;
        builder.fields.putAll(fields);
        return builder;
    }

    /** The message as a template sees it. */
    Map<String, @Nullable Object> asMap() {
        var map = new LinkedHashMap<String, @Nullable Object>();
        map.put("role", role);
        map.put(CONTENT, content);
        if (!toolCalls.isEmpty()) {
            map.put("tool_calls", toolCalls);
        }
        if (toolCallId != null) {
            map.put("tool_call_id", toolCallId);
        }
        if (name != null) {
            map.put("name", name);
        }
        map.putAll(fields);
        return map;
    }

    /** A builder of a message. */
    public static final class Builder {
        private final String role;
        private @Nullable Object content;
        private List<Map<String, @Nullable Object>> toolCalls = List.of();
        private @Nullable String toolCallId;
        private @Nullable String name;
        private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();

        private Builder(String role) {
            this.role = ApiBoundary.requireArgument(role, "role");
        }

        public Builder content(@Nullable String text) {
            content = text;
            return this;
        }

        /** Sets the content as a list of parts. */
        public Builder parts(List<? extends Map<String, ? extends @Nullable Object>> parts) {
            content = Values.copyOfMaps(ApiBoundary.requireArgument(parts, "parts"), "parts");
            return this;
        }

        /** Sets calls of tools, such as {@code {"type": "function", "function": {"name": …, "arguments": {…}}}}. */
        public Builder toolCalls(List<? extends Map<String, ? extends @Nullable Object>> calls) {
            toolCalls = Values.copyOfMaps(ApiBoundary.requireArgument(calls, "calls"), "toolCalls");
            return this;
        }

        public Builder toolCallId(@Nullable String id) {
            toolCallId = id;
            return this;
        }

        public Builder name(@Nullable String value) {
            name = value;
            return this;
        }

        /** Sets a further field. */
        public Builder field(String key, @Nullable Object value) {
            fields.put(ApiBoundary.requireArgument(key, "key"), Values.copyOf(value, key));
            return this;
        }

        public ChatMessage build() {
            return new ChatMessage(role, content, toolCalls, toolCallId, name, fields);
        }
    }
}
