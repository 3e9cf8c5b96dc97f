package dev.millrace.text;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a tool that an answer asks for.
 *
 * @param name the name of the tool
 * @param arguments its arguments: strings, numbers, booleans, null, lists and maps
 */
public record ToolCall(String name, Map<String, @Nullable Object> arguments) {
    /**
     * Returns the calls that an answer consists of, in the formats that models commonly use: JSON objects between
     * {@code <tool_call>} and {@code </tool_call>} (Hermes, Qwen), a JSON object or list after a mark such as
     * {@code [TOOL_CALLS]}, {@code <|tool_call|>} or {@code <|python_tag|>} (Mistral, Granite, Phi, Llama) or as the whole
     * answer, {@code <function=name>{…}</function>} (Llama), and a list after {@code Action:} (Command R). Empty if the
     * answer is a text.
     */
    public static List<ToolCall> in(String answer) {
        return ToolCallParser.calls(ApiBoundary.requireArgument(answer, "answer"));
    }

    /** Returns the call as a template shows it in the message of an assistant. */
    public Map<String, @Nullable Object> asMap() {
        return Map.of("type", "function", "function", Map.of("name", name, "arguments", arguments));
    }
}
