package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchedModel;
import dev.millrace.server.source.ModelSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of models that come from a source: by options, by their configuration, by an interface of others. */
class SourceTest {
    /** A source {@code memory:} that has what tests put into it. The services of the tests name it. */
    public static final class MemorySource implements ModelSource {
        private static final Map<String, Path> FILES = new ConcurrentHashMap<>();

        @Override
        public boolean accepts(String name) {
            return name.startsWith("memory:");
        }

        @Override
        public FetchedModel fetch(String name) {
            Path file = FILES.get(name);
            if (file == null) {
                throw new EngineException(Status.NO_SUCH_FILE, name + " is out of order");
            }
            return new FetchedModel(file, file.resolveSibling(""));
        }
    }

    @TempDir
    Path folder;

    private static String request(float value) {
        return "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, 1], \"data\": [" + value
                + "]}]}";
    }

    private static String answer(RestClient client, String model) {
        var answer = client.post("v2/models/" + model + "/infer", request(1));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private Path file(String name, float plus) throws IOException {
        Path file = Files.createDirectories(folder.resolve("elsewhere")).resolve(name);
        return Files.write(file, ServerModels.plus(plus, 1));
    }

    private static String sha256(Path file) throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file)));
    }

    @Test
    void aModelByNameNeedsNoFolder() throws Exception {
        Path model = file("plus.onnx", 3);
        var options =
                TestServers.options(folder).repositories().model("plus", "file:" + model + "#sha256=" + sha256(model));
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(server.isReady()).isTrue();
            assertThat(answer(client, "plus")).contains("\"data\":[4.0]", "\"model_version\":\"1\"");
        }
    }

    @Test
    void aConfigurationNamesItsSource() throws Exception {
        Path model = file("plus.onnx", 3);
        Path repository = folder.resolve("repository");
        String source = "parameters { key: \"source\" value { string_value: \"file:" + model.getParent() + "\" } }\n"
                + "parameters { key: \"file\" value { string_value: \"plus.onnx\" } }\n"
                + "parameters { key: \"sha256\" value { string_value: \"%s\" } }\n";
        new TestRepository(repository)
                .config("right", source.formatted(sha256(model)) + "max_batch_size: 4")
                .config("wrong", source.formatted("0".repeat(64)))
                .config("both", source.formatted(sha256(model)))
                .version("both", 1, ServerModels.plus(1, 1))
                .config("half", "parameters { key: \"sha256\" value { string_value: \"00\" } }")
                .config("odd", "parameters { key: \"source\" value { string_value: \"ftp://host/x\" } }");
        try (var server = TestServers.start(repository);
                var client = new RestClient(server)) {
            assertThat(answer(client, "right")).contains("\"data\":[4.0]");
            assertThat(client.get("v2/models/right/config").body()).contains("\"max_batch_size\":4");
            assertThat(client.post("v2/repository/index", "").body())
                    .contains("is wanted")
                    .contains("has both files in its repository and the source")
                    .contains("belong to the parameter source")
                    .contains("no source of models accepts 'ftp://host/x'");
        }
    }

    @Test
    void aNewVersionTakesOverAndABrokenSourceLeavesIt() throws Exception {
        String name = "memory:" + folder;
        MemorySource.FILES.put(name, file("one.onnx", 1));
        var options = TestServers.options(folder)
                .repositories()
                .control(ControlMode.EXPLICIT)
                .model("plus", name)
                .loaded("plus");
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(answer(client, "plus")).contains("\"data\":[2.0]");

            MemorySource.FILES.remove(name);
            var refused = client.post("v2/repository/models/plus/load", "");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(answer(client, "plus")).contains("\"data\":[2.0]");
            assertThat(client.post("v2/repository/index", "").body())
                    .contains("\"state\":\"READY\"", "is out of order");

            MemorySource.FILES.put(name, Files.write(folder.resolve("elsewhere/broken.onnx"), new byte[] {1, 2}));
            assertThat(client.post("v2/repository/models/plus/load", "").status())
                    .isNotEqualTo(200);
            assertThat(answer(client, "plus")).contains("\"data\":[2.0]");

            MemorySource.FILES.put(name, file("two.onnx", 2));
            assertThat(client.post("v2/repository/models/plus/load", "").status())
                    .isEqualTo(200);
            assertThat(answer(client, "plus")).contains("\"data\":[3.0]");
            assertThat(client.post("v2/repository/index", "").body()).doesNotContain("is out of order");
        }
    }

    @Test
    void theTokenizerAboveAModelBelongsToIt() throws Exception {
        Path model = Files.createDirectories(folder.resolve("elsewhere/onnx")).resolve("model.onnx");
        Files.write(model, ServerModels.words(1, 2, 3, 3));
        Files.writeString(
                folder.resolve("elsewhere/genai_config.json"),
                "{\"model\": {\"context_length\": 20, \"eos_token_id\": 3, \"decoder\": {\"filename\":"
                        + " \"model.onnx\"}}}");
        Files.writeString(folder.resolve("elsewhere/tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "the",
              "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """);
        var options = TestServers.options(folder).repositories().model("mill", "file:" + model);
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(client.post("v2/models/mill/generate", "{\"text_input\": \"the\"}")
                            .body())
                    .contains("mill runs");
        }
    }

    @Test
    void aRequestCannotNameASource() throws Exception {
        Path model = file("plus.onnx", 3);
        new TestRepository(folder.resolve("repository")).version("plus", 1, ServerModels.plus(1, 1));
        var options = TestServers.options(folder.resolve("repository"))
                .control(ControlMode.EXPLICIT)
                .loaded("plus");
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            String config = "{\\\"parameters\\\":{\\\"source\\\":{\\\"string_value\\\":\\\"file:" + model + "\\\"}}}";
            var refused =
                    client.post("v2/repository/models/plus/load", "{\"parameters\": {\"config\": \"" + config + "\"}}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.body()).contains("a request cannot name the source of a model");
            assertThat(answer(client, "plus")).contains("\"data\":[2.0]");
        }
    }
}
