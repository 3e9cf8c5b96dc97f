package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the forms that requests for texts may have, most of them OpenAI's. */
class OpenAiRequestTest {
    @TempDir
    static Path folder;

    private static ModelServer server;
    private static RestClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder).mill();
        server = TestServers.start(folder);
        client = new RestClient(server);
    }

    @AfterAll
    static void stop() {
        client.close();
        server.close();
    }

    @Test
    void aPromptMayBeTokens() {
        String one = client.post("v1/completions", "{\"model\": \"mill\", \"prompt\": [7, 5]}")
                .body();
        assertThat(one).contains("\"text\":\" the mill runs\"", "\"prompt_tokens\":2");
        String several = client.post("v1/completions", "{\"model\": \"mill\", \"prompt\": [[5], [0]]}")
                .body();
        assertThat(several).contains("\"text\":\" the mill runs\"", "\"text\":\" mill runs\"");
    }

    @Test
    void theLaterNameOfTheLimitCounts() {
        assertThat(client.post(
                                "v1/completions",
                                "{\"model\": \"mill\", \"prompt\": \"bot\", \"max_tokens\": 3,"
                                        + " \"max_completion_tokens\": 1}")
                        .body())
                .contains("\"text\":\" the\"", "\"finish_reason\":\"length\"");
    }

    @Test
    void partsOfAStreamWithUsageHaveNoneBeforeTheLast() {
        var lines = client.post("v1/chat/completions", """
            {"model": "mill", "stream": true, "stream_options": {"include_usage": true},
             "messages": [{"role": "user", "content": "one"}]}\
            """)
                .body()
                .lines()
                .filter(each -> each.startsWith("data: {"))
                .toList();
        assertThat(lines.subList(0, lines.size() - 1)).allMatch(each -> each.endsWith("\"usage\":null}"));
        assertThat(lines.getLast()).contains("\"choices\":[],\"usage\":{\"prompt_tokens\":2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1/completions", "v1/chat/completions", "v2/models/mill/generate_stream"})
    void aStreamThatCannotBeginHasTheStatusOfItsFailure(String path) {
        String words = "the ".repeat(30);
        var answer = client.post(path, """
            {"model": "mill", "stream": true, "prompt": "%s", "text_input": "%s",
             "messages": [{"role": "user", "content": "%s"}]}\
            """.formatted(words, words, words));
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.headers().firstValue("content-type")).contains("application/json");
        assertThat(answer.body()).contains("the model sees 20 at most");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "completions|{\"model\": \"mill\"}|has no 'prompt'",
                "completions|{\"model\": \"mill\", \"prompt\": [0, 8]}|has 8, which is no token",
                "completions|{\"model\": \"mill\", \"prompt\": [[0], [-1]]}|has -1, which is no token",
                "completions|{\"model\": \"mill\", \"prompt\": \"the\", \"top_k\": -9000000000}|topK",
                "chat/completions|{\"model\": \"mill\"}|has no 'messages'",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}],"
                        + " \"response_format\": \"json_object\"}|object with a type",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}],"
                        + " \"response_format\": {\"type\": \"json_schema\"}}|json_schema with a schema"
            })
    void wrongFormsAreRefusedInWords(String path, String body, String words) {
        var answer = client.post("v1/" + path, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"", words);
    }
}
