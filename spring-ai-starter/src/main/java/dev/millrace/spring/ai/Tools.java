package dev.millrace.spring.ai;

import dev.millrace.text.ChatTemplate;
import dev.millrace.text.ToolCall;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.definition.ToolDefinition;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/** Tools between Spring AI, where their arguments and schemas are JSON, and templates, where they are maps. */
final class Tools {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final TypeReference<Map<String, @Nullable Object>> MAP = new TypeReference<>() {};

    private static final String FUNCTION = "function";
    private static final String NAME = "name";

    private Tools() {}

    /** Whether options have tools. */
    static boolean in(ChatOptions options) {
        return !callbacks(options).isEmpty();
    }

    private static List<ToolCallback> callbacks(ChatOptions options) {
        return options instanceof ToolCallingChatOptions calling && calling.getToolCallbacks() != null
                ? calling.getToolCallbacks()
                : List.of();
    }

    /** Returns the options of a template that show the tools to the model. */
    static ChatTemplate.Options describe(ChatOptions options) {
        List<Map<String, Object>> tools = callbacks(options).stream()
                .map(tool -> describe(tool.getToolDefinition()))
                .toList();
        return ChatTemplate.Options.builder().tools(tools).build();
    }

    private static Map<String, Object> describe(ToolDefinition tool) {
        return Map.of(
                "type",
                FUNCTION,
                FUNCTION,
                Map.of(
                        NAME,
                        tool.name(),
                        "description",
                        tool.description(),
                        "parameters",
                        JSON.readValue(tool.inputSchema(), MAP)));
    }

    /** Returns the calls of an earlier answer as a template shows them. */
    static List<Map<String, @Nullable Object>> calls(AssistantMessage answer) {
        return answer.getToolCalls().stream()
                .map(call -> Map.<String, @Nullable Object>of(
                        "id",
                        call.id(),
                        "type",
                        FUNCTION,
                        FUNCTION,
                        Map.of(NAME, call.name(), "arguments", JSON.readValue(call.arguments(), MAP))))
                .toList();
    }

    /** Returns the calls that an answer consists of; empty if it is a text. */
    static List<AssistantMessage.ToolCall> callsIn(String answer) {
        return ToolCall.in(answer).stream()
                .map(call -> new AssistantMessage.ToolCall(
                        "call_" + UUID.randomUUID(), FUNCTION, call.name(), JSON.writeValueAsString(call.arguments())))
                .toList();
    }
}
