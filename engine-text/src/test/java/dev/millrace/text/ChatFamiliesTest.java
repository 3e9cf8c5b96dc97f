package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.text.template.Rendered;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Prompts of the formats that model families document. Each line of the file has a template, messages, and the prompt, which
 * Jinja 3.1.6 made of them too.
 */
class ChatFamiliesTest {
    static Stream<String> prompts() throws IOException {
        return file("prompts.jsonl").lines();
    }

    private static String file(String name) throws IOException {
        return new String(GoldenTest.content("chat/" + name), StandardCharsets.UTF_8);
    }

    @ParameterizedTest
    @MethodSource("prompts")
    void messagesBecomeThePromptOfTheFamily(String line) throws IOException {
        Map<String, @Nullable Object> row = Rendered.map(line);
        ChatTemplate template = ChatTemplate.of(file(row.get("template") + ".jinja"));
        var options = ChatTemplate.Options.builder()
                .addGenerationPrompt(Boolean.TRUE.equals(row.get("generate")))
                .tools(maps(row.get("tools")))
                .documents(maps(row.get("documents")))
                .clock(Rendered.CLOCK);
        maps(List.of(row.get("variables"))).forEach(options::variables);
        List<ChatMessage> messages = maps(row.get("messages")).stream()
                .map(ChatFamiliesTest::message)
                .toList();
        assertThat(template.render(messages, options.build())).isEqualTo(row.get("prompt"));
    }

    private static ChatMessage message(Map<String, @Nullable Object> map) {
        return ChatMessage.builder(String.valueOf(map.get("role")))
                .content((String) map.get("content"))
                .toolCalls(maps(map.get("tool_calls")))
                .toolCallId((String) map.get("tool_call_id"))
                .build();
    }

    private static List<Map<String, @Nullable Object>> maps(@Nullable Object list) {
        return (list == null ? List.of() : (List<?>) list)
                .stream().map(ChatFamiliesTest::map).toList();
    }

    private static Map<String, @Nullable Object> map(Object value) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        ((Map<?, ?>) value).forEach((name, each) -> map.put((String) name, each));
        return map;
    }

    @Test
    void thePromptsAreThoseOfTwentyFamiliesAndMore() throws IOException {
        assertThat(prompts().map(line -> Rendered.map(line).get("template")).collect(Collectors.toSet()))
                .hasSize(21);
    }
}
