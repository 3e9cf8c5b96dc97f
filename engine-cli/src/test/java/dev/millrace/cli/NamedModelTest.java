package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on models by name. The hub's cache has a model of six words, and the hub is not asked. */
class NamedModelTest {
    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    @TempDir
    private Path folder = Path.of("");

    private void writeCache() throws IOException {
        Path repository = folder.resolve("hub/models--org--words");
        Path snapshot = repository.resolve("snapshots").resolve(COMMIT);
        Files.createDirectories(snapshot.resolve("onnx"));
        Files.createDirectories(repository.resolve("refs"));
        Files.writeString(repository.resolve("refs/main"), COMMIT);
        WordModel.write(snapshot.resolve("onnx/model.onnx"), 1, 2, 3, 3, 0, 5);
        Files.writeString(snapshot.resolve("config.json"), "{\"eos_token_id\": 3}");
        Files.writeString(snapshot.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "other",
              "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3, "bot": 4, "other": 5}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """);
    }

    private String offline(String... arguments) throws Exception {
        ProcessBuilder builder = new OwnJvm(Main.class, (Object[]) arguments)
                .options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .builder();
        builder.environment().put("HF_HUB_CACHE", folder.resolve("hub").toString());
        builder.environment().put("HF_HUB_OFFLINE", "1");
        Process process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    @Test
    void aModelOfAHubRunsAndGenerates() throws Exception {
        writeCache();
        assertThat(offline("run", "hf:org/words/onnx/model.onnx", "-i", "input_ids=[[0,1]]"))
                .contains("logits: float[1, 2, 6]");
        assertThat(offline("generate", "hf:org/words", "the")).contains("mill runs");
        assertThat(offline("run", "hf:org/words/onnx/other.onnx"))
                .contains("hf:org/words@main/onnx/other.onnx was not fetched before");
    }

    @Test
    void aNameOfAFileIsItsPath() {
        Path model = WordModel.write(folder.resolve("model.onnx"), 1, 2, 3, 3, 0, 5);
        Command run = millrace("run", "file:" + model, "-i", "input_ids=[[0]]");
        assertThat(run.code()).isZero();
        assertThat(run.out()).contains("logits");
        assertThat(millrace("models", "file:" + model).out().strip()).isEqualTo(model.toString());
        assertThat(millrace("models", "file:" + model, "nothing").err()).contains("no known model 'nothing'");
    }

    @Test
    void wrongNamesAreExplained() {
        assertThat(millrace("run", "https://host.invalid/model.onnx").err()).contains("append #sha256=DIGEST");
        assertThat(millrace("run", "mvn:g:a/model.onnx").err()).contains("names no package");
    }
}
