package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolCallTest {
    private static final ToolCall WEATHER = new ToolCall("weather", Map.of("city", "Bern", "days", 3L));

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": 3}}\n</tool_call>",
                "I look it up.\n<tool_call>{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": 3}}",
                "[TOOL_CALLS][{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": 3}}]</s>",
                "[{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\": 3}}]",
                "{\"name\": \"weather\", \"parameters\": {\"city\": \"Bern\", \"days\": 3}}",
                "<|python_tag|>{\"name\": \"weather\", \"parameters\": {\"city\": \"Bern\", \"days\": 3}}<|eom_id|>",
                "<|tool_call|>[{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\", \"days\":"
                        + " 3}}]<|/tool_call|>",
                "<function=weather>{\"city\": \"Bern\", \"days\": 3}</function>",
                "Action:```json\n[{\"tool_name\": \"weather\", \"parameters\": {\"city\": \"Bern\", \"days\": 3}}]```",
                "{\"type\": \"function\", \"function\": {\"name\": \"weather\", \"arguments\": \"{\\\"city\\\":"
                        + " \\\"Bern\\\", \\\"days\\\": 3}\"}}"
            })
    void callsAreFoundInEachFormat(String answer) {
        assertThat(ToolCall.in(answer)).containsExactly(WEATHER);
    }

    @Test
    void severalCallsKeepTheirOrder() {
        assertThat(ToolCall.in("<tool_call>{\"name\": \"a\"}</tool_call>\n<tool_call>{\"name\": \"b\"}</tool_call>"))
                .extracting(ToolCall::name)
                .containsExactly("a", "b");
        assertThat(ToolCall.in("[{\"name\": \"a\"}, {\"name\": \"b\"}]")).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "It rains.",
                "{\"city\": \"Bern\"}",
                "[1, 2]",
                "{\"name\": 3, \"arguments\": {}}",
                "{\"name\": \"a\", \"arguments\": [1]}",
                "<tool_call>{\"name\": ",
                "<tool_call>",
                "<function={}</function>",
                "[TOOL_CALLS]",
                "{"
            })
    void everythingElseIsText(String answer) {
        assertThat(ToolCall.in(answer)).isEmpty();
    }

    @Test
    void deepValuesAreText() {
        String deep = "[".repeat(5000) + "]".repeat(5000);
        assertThat(ToolCall.in("{\"name\": \"a\", \"arguments\": {\"x\": " + deep + "}}"))
                .isEmpty();
    }

    @Test
    void argumentsKeepTheirKinds() {
        ToolCall call = ToolCall.in(
                        "{\"name\": \"a\", \"arguments\": {\"x\": [1, 2.5, true, null, {\"y\": \"z\"}], \"big\":"
                                + " 1e300}}")
                .getFirst();
        assertThat(call.arguments())
                .containsEntry("x", Arrays.asList(1L, 2.5, true, null, Map.of("y", "z")))
                .containsEntry("big", 1e300);
        assertThat(ChatMessage.builder("assistant")
                        .toolCalls(List.of(call.asMap()))
                        .build()
                        .toolCalls())
                .singleElement()
                .satisfies(map ->
                        assertThat(map.get("function")).isEqualTo(Map.of("name", "a", "arguments", call.arguments())));
    }
}
