package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.server.tensor.JsonTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests models of texts: generations by both protocols' names, chats, vectors, and OpenAI's errors. */
class TextServerTest {
    @TempDir
    static Path folder;

    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz{}\":,";

    @AutoClose
    private static RestClient client;

    @BeforeAll
    static void start() throws IOException {
        new TestRepository(folder)
                .mill()
                .version("caller", 1, ServerModels.words(5, 2, 3, 4, 6, 1, 6, 0))
                .write("caller/1/tokenizer.json", utf8("""
                    {"model": {"type": "WordLevel", "unk_token": "go",
                      "vocab": {"bot": 0, "<tool_call>": 1, "{\\"name\\":": 2, "\\"mill\\",": 3,
                        "\\"arguments\\":{\\"up\\":true}}": 4, "so": 5, "</s>": 6, "go": 7}},
                     "pre_tokenizer": {"type": "Whitespace"},
                     "added_tokens": [{"id": 6, "content": "</s>", "special": true}]}\
                    """))
                .write("caller/1/chat_template.jinja", utf8("{{ messages[0].content }} bot"))
                .write("caller/1/genai_config.json", utf8("""
                    {"model": {"context_length": 20, "eos_token_id": 6, "decoder": {"filename": "model.onnx"}}}\
                    """))
                .version("letters", 1, ServerModels.words(new int[LETTERS.length() + 1]))
                .write("letters/1/tokenizer.json", letters())
                .write("letters/1/chat_template.jinja", utf8("{{ messages[0].content }}"))
                .write("letters/1/genai_config.json", utf8("""
                    {"model": {"context_length": 200, "eos_token_id": 31, "decoder": {"filename": "model.onnx"}}}\
                    """))
                .version("plus", 1, ServerModels.plus(1, 1))
                .version("largest", 1, ServerModels.largest())
                .write("largest/1/tokenizer.json", letters())
                .write("minilm/1/model.onnx", resource("/all-minilm-l6-v2.onnx"))
                .write("minilm/1/tokenizer.json", resource("/all-minilm-l6-v2-tokenizer.json"));
        client = RestClient.ofOwnServer(folder);
    }

    /** Returns a tokenizer whose tokens are letters, and the end. */
    private static byte[] letters() {
        var vocabulary = new LinkedHashMap<String, Object>();
        for (int i = 0; i < LETTERS.length(); i++) {
            vocabulary.put(LETTERS.substring(i, i + 1), i);
        }
        return JsonTree.bytes(Map.of(
                "model", Map.of("type", "BPE", "vocab", vocabulary, "merges", List.of()),
                "pre_tokenizer", Map.of("type", "ByteLevel", "add_prefix_space", false),
                "decoder", Map.of("type", "ByteLevel"),
                "added_tokens", List.of(Map.of("id", LETTERS.length(), "content", "</s>", "special", true))));
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(TextServerTest.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    private static List<String> events(RestClient.Answer answer) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/event-stream"));
        return answer.body()
                .lines()
                .filter(line -> !line.isEmpty())
                .map(line -> line.replaceFirst("^data: ", ""))
                .toList();
    }

    @Test
    void generateAnswersAtOnce() {
        assertThat(client.post("v2/models/mill/generate", "{\"text_input\": \"one bot\"}")
                        .body())
                .isEqualTo("{\"model_name\":\"mill\",\"model_version\":\"1\",\"text_output\":\" the mill runs\"}");
        assertThat(client.post(
                                "v2/models/mill/generate",
                                "{\"text_input\": \"one bot\", \"parameters\": {\"max_tokens\": 2}}")
                        .body())
                .contains("\"text_output\":\" the mill\"");
        assertThat(client.post("v2/models/plus/generate", "{\"text_input\": \"one\"}")
                        .body())
                .contains("needs input 'x'");
        assertThat(client.post("v2/models/minilm/generate", "{\"text_input\": \"one\"}")
                        .body())
                .contains("generates no text");
    }

    @Test
    void generateStreamsEvents() {
        assertThat(events(client.post("v2/models/mill/versions/1/generate_stream", "{\"text_input\": \"one bot\"}")))
                .hasSize(3)
                .first()
                .asString()
                .contains("\"text_output\":\" the\"");
    }

    @Test
    void completions() {
        var answer = client.post(
                "v1/completions", "{\"model\": \"mill\", \"prompt\": \"bot\", \"max_tokens\": 2, \"seed\": 1}");
        assertThat(answer.body())
                .contains("\"object\":\"text_completion\"", "\"text\":\" the mill\"", "\"finish_reason\":\"length\"")
                .contains("\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3");
        var streamed = events(client.post(
                "v1/completions",
                "{\"model\": \"mill\", \"prompt\": [\"bot\"], \"stream\": true, \"stop\": \" runs\"}"));
        assertThat(streamed).last().isEqualTo("[DONE]");
        assertThat(streamed.get(streamed.size() - 2)).contains("\"finish_reason\":\"stop\"");
        assertThat(String.join("", streamed))
                .contains("\"text\":\" the\"", "\"text\":\" mill\"")
                .doesNotContain("runs");
    }

    @Test
    void chats() {
        String messages =
                "\"messages\": [{\"role\": \"user\", \"content\": [{\"type\": \"text\", \"text\": \"one\"}]}]";
        assertThat(client.post("v1/chat/completions", "{\"model\": \"mill\", " + messages + "}")
                        .body())
                .contains(
                        "\"object\":\"chat.completion\"", "\"content\":\"the mill runs\"", "\"finish_reason\":\"stop\"")
                .contains("\"prompt_tokens\":2,\"completion_tokens\":4");
        var streamed = events(client.post(
                "v1/chat/completions",
                "{\"model\": \"mill\", \"stream\": true, \"stream_options\": {\"include_usage\": true}, " + messages
                        + "}"));
        assertThat(streamed.getFirst()).contains("\"role\":\"assistant\"");
        assertThat(streamed).anyMatch(each -> each.contains("\"delta\":{\"content\":\" mill\"}"));
        assertThat(streamed.get(streamed.size() - 2)).contains("\"choices\":[],\"usage\":{");
        assertThat(streamed.getLast()).isEqualTo("[DONE]");
    }

    @Test
    void aChatMayHaveToMatchASchema() {
        var answer = client.post("v1/chat/completions", """
            {"model": "mill", "messages": [{"role": "user", "content": "one"}], "response_format":
              {"type": "json_schema", "json_schema": {"name": "n", "schema": {"const": 1}}}}\
            """);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("\"type\":\"invalid_request_error\"");
    }

    @Test
    void severalPromptsAndAnswers() {
        var answer = client.post(
                "v1/completions", "{\"model\": \"mill\", \"prompt\": [\"bot\", \"the\"], \"max_tokens\": 1, \"n\": 2}");
        List<Map<String, Object>> choices = data(answer, "choices");
        assertThat(choices).extracting(choice -> choice.get("index")).containsExactly(0L, 1L, 2L, 3L);
        assertThat(choices).extracting(choice -> choice.get("text")).containsExactly(" the", " the", " mill", " mill");
        assertThat(answer.body()).contains("\"prompt_tokens\":2,\"completion_tokens\":4,\"total_tokens\":6");
        var streamed = events(client.post(
                "v1/completions",
                "{\"model\": \"mill\", \"prompt\": [\"bot\", \"the\"], \"max_tokens\": 1, \"stream\": true}"));
        assertThat(streamed)
                .hasSize(3)
                .anyMatch(each -> each.contains("\"index\":0,\"text\":\" the\""))
                .anyMatch(each -> each.contains("\"index\":1,\"text\":\" mill\""));
    }

    @Test
    void tokensTellTheirLogProbabilities() {
        var completion = client.post(
                "v1/completions", "{\"model\": \"mill\", \"prompt\": \"bot\", \"max_tokens\": 2, \"logprobs\": 1}");
        double likely = 1 - Math.log(Math.E + 7);
        var told = (Map<?, ?>)
                Objects.requireNonNull(data(completion, "choices").getFirst().get("logprobs"));
        assertThat(told.get("tokens")).isEqualTo(List.of("the", "mill"));
        assertThat((List<?>) told.get("token_logprobs"))
                .allSatisfy(each -> assertThat((Double) each).isCloseTo(likely, within(1e-5)));
        assertThat((List<?>) told.get("top_logprobs")).first().asString().startsWith("{the=");
        assertThat(told.get("text_offset")).isEqualTo(List.of(0L, 3L));
        String chat = "{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"one\"}],"
                + " \"logprobs\": true, \"top_logprobs\": 2, \"max_tokens\": 2";
        assertThat(client.post("v1/chat/completions", chat + "}").body())
                .contains("\"logprobs\":{\"content\":[{\"token\":\"the\",\"logprob\":-")
                .contains("\"bytes\":[116,104,101],\"top_logprobs\":[{\"token\":\"the\",");
        assertThat(events(client.post("v1/chat/completions", chat + ", \"stream\": true}")))
                .filteredOn(each -> each.contains("\"content\":[{\"token\":\"mill\",\"logprob\":-"))
                .hasSize(1);
    }

    @Test
    void aBiasForbidsAToken() {
        assertThat(client.post(
                                "v1/completions",
                                "{\"model\": \"mill\", \"prompt\": \"bot\", \"max_tokens\": 1,"
                                        + " \"logit_bias\": {\"0\": -100, \"2\": 5}}")
                        .body())
                .contains("\"text\":\" runs\"");
    }

    private static String chatWithTools(String model, String rest) {
        return "{\"model\": \"" + model + "\", \"messages\": [{\"role\": \"user\", \"content\": \"go\"}], \"tools\": ["
                + "{\"type\": \"function\", \"function\": {\"name\": \"mill\", \"parameters\": {\"type\": \"object\","
                + " \"properties\": {\"up\": {\"type\": \"boolean\"}}, \"required\": [\"up\"],"
                + " \"additionalProperties\": false}}}]" + rest + "}";
    }

    @Test
    void anAnswerMayCallATool() {
        var answer = client.post("v1/chat/completions", chatWithTools("caller", ""));
        assertThat(answer.body())
                .contains(
                        "\"content\":\"so\"",
                        "\"finish_reason\":\"tool_calls\"",
                        "\"id\":\"call_",
                        "\"type\":\"function\"")
                .contains("\"name\":\"mill\"", "\"arguments\":\"{\\\"up\\\":true}\"");
        var streamed = events(client.post("v1/chat/completions", chatWithTools("caller", ", \"stream\": true")));
        assertThat(streamed).anyMatch(each -> each.contains("\"delta\":{\"content\":\"so"));
        assertThat(streamed).noneMatch(each -> each.contains("\"content\":\"<"));
        assertThat(streamed).anyMatch(each -> each.contains("\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"call_"));
        assertThat(streamed.get(streamed.size() - 2)).contains("\"delta\":{}", "\"finish_reason\":\"tool_calls\"");
    }

    @Test
    void callsOfOtherToolsAreTexts() {
        assertThat(client.post(
                                "v1/chat/completions",
                                chatWithTools("caller", "").replace("\"name\": \"mill\"", "\"name\": \"other\""))
                        .body())
                .contains("<tool_call>", "\"finish_reason\":\"stop\"");
        assertThat(client.post("v1/chat/completions", chatWithTools("caller", ", \"tool_choice\": \"none\""))
                        .body())
                .contains("<tool_call>", "\"finish_reason\":\"stop\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"required\"", "{\"type\": \"function\", \"function\": {\"name\": \"mill\"}}"})
    void aRequiredCallFollowsTheSchemaOfItsTool(String choice) {
        var answer = client.post("v1/chat/completions", chatWithTools("letters", ", \"tool_choice\": " + choice));
        assertThat(answer.body())
                .contains("\"content\":null", "\"finish_reason\":\"tool_calls\"", "\"name\":\"mill\"")
                .containsPattern("\"arguments\":\"\\{\\\\\"up\\\\\":(true|false)}\"");
        assertThat(client.post(
                                "v1/chat/completions",
                                chatWithTools("letters", ", \"tool_choice\": {\"function\": {\"name\": \"no\"}}"))
                        .body())
                .contains("the tools are [mill]");
    }

    @Test
    void messagesMayHaveCallsAndTheirAnswers() {
        var answer = client.post("v1/chat/completions", """
            {"model": "mill", "messages": [
              {"role": "user", "content": "one"},
              {"role": "assistant", "content": null, "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "mill", "arguments": "{\\"up\\": true}"}}]},
              {"role": "tool", "tool_call_id": "call_1", "content": "runs"}]}\
            """);
        assertThat(answer.body()).contains("\"content\":\"the mill runs\"");
    }

    @Test
    void models() {
        assertThat(client.get("v1/models").body())
                .contains("\"id\":\"mill\"", "\"id\":\"minilm\"", "\"object\":\"list\"");
        assertThat(client.get("v1/models/mill").body()).contains("\"object\":\"model\"");
        var gone = client.get("v1/models/gone");
        assertThat(gone.status()).isEqualTo(404);
        assertThat(gone.body()).contains("\"code\":\"model_not_found\"");
    }

    @SuppressWarnings("unchecked") // the answer's own form
    private static List<Map<String, Object>> data(RestClient.Answer answer, String name) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return (List<Map<String, Object>>)
                Objects.requireNonNull(JsonTree.readObject(answer.bytes()).get(name));
    }

    @Test
    void vectorsAsNumbersAndAsBase64() {
        var plain = client.post("v1/embeddings", "{\"model\": \"minilm\", \"input\": [\"a mill\", \"water\"]}");
        assertThat(plain.body()).contains("\"usage\":{\"prompt_tokens\":7,\"total_tokens\":7}");
        List<Map<String, Object>> vectors = data(plain, "data");
        assertThat(vectors).hasSize(2);
        var first = (List<?>) Objects.requireNonNull(vectors.getFirst().get("embedding"));
        assertThat(first).hasSize(384);
        var coded = data(
                client.post(
                        "v1/embeddings",
                        "{\"model\": \"minilm\", \"input\": \"a mill\", \"encoding_format\": \"base64\"}"),
                "data");
        var bytes = ByteBuffer.wrap(Base64.getDecoder()
                        .decode((String) Objects.requireNonNull(coded.getFirst().get("embedding"))))
                .order(ByteOrder.LITTLE_ENDIAN);
        assertThat(bytes.remaining()).isEqualTo(4 * 384);
        assertThat((double) bytes.getFloat()).isCloseTo((Double) first.getFirst(), within(1e-5));
        var cut = (List<?>) Objects.requireNonNull(data(
                        client.post(
                                "v1/embeddings", "{\"model\": \"minilm\", \"input\": \"a mill\", \"dimensions\": 8}"),
                        "data")
                .getFirst()
                .get("embedding"));
        assertThat(cut).hasSize(8);
        assertThat(cut.stream()
                        .mapToDouble(each -> (Double) each * (Double) each)
                        .sum())
                .isCloseTo(1, within(1e-4));
    }

    @Test
    void documentsAreSortedByAModelThatReadsThemWithTheQuery() {
        var answer = client.post("v1/rerank", """
            {"model": "largest", "query": "a", "documents": ["bb", "ca", "aa"]}\
            """);
        assertThat(data(answer, "results"))
                .containsExactly(
                        Map.of("index", 1L, "relevance_score", 1 / (1 + Math.exp(-2))),
                        Map.of("index", 0L, "relevance_score", 1 / (1 + Math.exp(-1))),
                        Map.of("index", 2L, "relevance_score", 0.5));
        assertThat(answer.body()).contains("\"usage\":{\"prompt_tokens\":9,\"total_tokens\":9}");
        assertThat(client.post("v1/embeddings", "{\"model\": \"largest\", \"input\": \"a\"}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void documentsAreSortedByLikeness() {
        var answer = client.post("v1/rerank", """
            {"model": "minilm", "query": "Where is the cat?", "top_n": 2, "return_documents": true,
             "documents": ["Interest rates rise", "A cat sits on the mat", {"text": "The dog sleeps"}]}\
            """);
        List<Map<String, Object>> results = data(answer, "results");
        assertThat(results).hasSize(2);
        assertThat(results.getFirst()).containsEntry("index", 1L).containsKey("relevance_score");
        assertThat(results.getFirst().get("document")).isEqualTo(Map.of("text", "A cat sits on the mat"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "completions|{}|400|has no 'model'",
                "completions|{\"model\": \"gone\", \"prompt\": \"one\"}|404|model_not_found",
                "completions|{\"model\": \"minilm\", \"prompt\": \"one\"}|400|generates no text",
                "completions|{\"model\": \"mill\", \"prompt\": [1, \"a\"]}|400|list of texts",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"n\": 200}|400|up to 128",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"best_of\": 3}|400|as large as 'n'",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"logprobs\": 6}|400|from 0 to 5",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"logit_bias\": {\"mill\": 1}}|400|no token's"
                        + " id",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"logit_bias\": {\"1\": 101}}|400|from -100",
                "completions|{\"model\": \"mill\", \"prompt\": \"one\", \"top_p\": 7}|400|topP",
                "chat/completions|{\"model\": \"mill\", \"messages\": []}|400|empty",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": [{\"type\":"
                        + " \"image_url\"}]}]}|400|images",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}],"
                        + " \"tools\": [{}]}|400|a tool is an object",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}],"
                        + " \"tool_choice\": \"required\"}|400|has no 'tools'",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"user\", \"content\": \"a\"}],"
                        + " \"top_logprobs\": 2}|400|goes together with",
                "chat/completions|{\"model\": \"mill\", \"messages\": [{\"role\": \"assistant\", \"tool_calls\":"
                        + " [{}]}]}|400|a call of a tool",
                "embeddings|{\"model\": \"mill\", \"input\": \"one\"}|400|no vectors",
                "embeddings|{\"model\": \"minilm\", \"input\": \"one\", \"dimensions\": 1000}|400|have 384",
                "rerank|{\"model\": \"minilm\", \"query\": \"one\", \"documents\": [7]}|400|a document is",
                "completions|nonsense|400|no JSON"
            })
    void errorsHaveOpenAisForm(String path, String body, int status, String words) {
        var answer = client.post("v1/" + path, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).startsWith("{\"error\":{\"message\":").contains(words);
    }
}
