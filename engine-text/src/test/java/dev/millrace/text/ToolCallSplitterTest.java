package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the separation of texts and calls, a character at a time and as a whole. */
class ToolCallSplitterTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "It rains.|It rains.|0",
                "a < b, and Action! is no call|a < b, and Action! is no call|0",
                "It ends with <tool|It ends with <tool|0",
                "{\"city\": \"Bern\"}|{\"city\": \"Bern\"}|0",
                "{\"name\": \"a\", \"arguments\": {}}|^^|1",
                "I look. <tool_call>{\"name\": \"a\"}</tool_call> <tool_call>{\"name\": \"b\"}</tool_call>|^I look."
                        + " ^|2",
                "<function=a>{}</function>|^^|1",
                "I look. <tool_call>nonsense|I look. <tool_call>nonsense|0"
            })
    void textsAndCalls(String answer, String text, int calls) {
        var whole = new ToolCallSplitter();
        assertThat(whole.add(answer) + whole.end()).isEqualTo(text);
        assertThat(whole.calls()).hasSize(calls);
        var pieces = new ToolCallSplitter();
        var shown = new StringBuilder();
        for (int i = 0; i < answer.length(); i++) {
            shown.append(pieces.add(answer.substring(i, i + 1)));
        }
        assertThat(shown.append(pieces.end())).asString().isEqualTo(text);
        assertThat(pieces.calls()).isEqualTo(whole.calls());
    }

    @Test
    void textIsShownAsSoonAsItIsNoCall() {
        var splitter = new ToolCallSplitter();
        assertThat(splitter.add(" ")).isEmpty();
        assertThat(splitter.add("It rains <")).isEqualTo(" It rains ");
        assertThat(splitter.add("b")).isEqualTo("<b");
        assertThat(splitter.end()).isEmpty();
    }

    @Test
    void nothingAndWhiteSpaceAreTexts() {
        assertThat(new ToolCallSplitter().end()).isEmpty();
        var splitter = new ToolCallSplitter();
        assertThat(splitter.add("\n")).isEmpty();
        assertThat(splitter.end()).isEqualTo("\n");
        assertThat(splitter.calls()).isEqualTo(List.of());
    }

    @Test
    void callsHaveNamesAndArguments() {
        var splitter = new ToolCallSplitter();
        splitter.add("[TOOL_CALLS][{\"name\": \"weather\", \"arguments\": {\"city\": \"Bern\"}}]");
        splitter.end();
        assertThat(splitter.calls()).containsExactly(new ToolCall("weather", Map.of("city", "Bern")));
    }
}
