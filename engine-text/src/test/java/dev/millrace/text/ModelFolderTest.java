package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ModelFolderTest {
    @TempDir
    private Path folder = Path.of("");

    private Path file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private void refused(Status status, String... said) {
        assertThatThrownBy(() -> ModelFolder.read(folder))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(said);
    }

    @Test
    void aFolderOfTheModelBuilderSaysAllInOneFile() throws IOException {
        Path model = file("decoder.onnx", "");
        Path tokenizer = file("tokenizer.json", "{}");
        file("genai_config.json", """
            {"model": {"context_length": 4096, "eos_token_id": [7, 9], "decoder": {"filename": "decoder.onnx"}},
             "search": {"do_sample": true, "temperature": 0.6, "top_p": 0.9, "top_k": 40, "repetition_penalty": 1.1}}
            """);
        ModelFolder found = ModelFolder.read(folder);
        assertThat(found.model()).isEqualTo(model);
        assertThat(found.tokenizer()).isEqualTo(tokenizer);
        assertThat(found.contextLength()).isEqualTo(4096);
        assertThat(found.defaults().stopTokens()).containsExactlyInAnyOrder(7L, 9L);
        assertThat(found.defaults().temperature()).isEqualTo(0.6);
        assertThat(found.defaults().topP()).isEqualTo(0.9);
        assertThat(found.defaults().topK()).isEqualTo(40);
        assertThat(found.defaults().repetitionPenalty()).isEqualTo(1.1);
    }

    @Test
    void aFolderOfHuggingFaceSaysItInSeveralFiles() throws IOException {
        file("onnx/model.onnx", "");
        Path model = file("onnx/model_q4.onnx", "");
        file("tokenizer.json", "{}");
        file("config.json", "{\"max_position_embeddings\": 2048, \"eos_token_id\": 2}");
        file("generation_config.json", "{\"eos_token_id\": 5, \"temperature\": 0.7}");
        ModelFolder found = ModelFolder.read(folder);
        assertThat(found.model()).isEqualTo(model);
        assertThat(found.contextLength()).isEqualTo(2048);
        assertThat(found.defaults().stopTokens()).containsExactly(5L);
        assertThat(found.defaults().temperature())
                .as("nothing is drawn unless the files say so")
                .isZero();
    }

    @Test
    void aModelFileIsFoundWithTheFilesAboveIt() throws IOException {
        Path model = file("onnx/model_fp16.onnx", "");
        Path tokenizer = file("tokenizer.json", "{}");
        file("config.json", "{\"text_config\": {\"max_position_embeddings\": 512}}");
        ModelFolder found = ModelFolder.read(model);
        assertThat(found.model()).isEqualTo(model);
        assertThat(found.tokenizer()).isEqualTo(tokenizer);
        assertThat(found.contextLength()).isEqualTo(512);
        assertThat(found.defaults().stopTokens()).isEmpty();
    }

    @Test
    void aFolderWithoutAModelOrATokenizerIsRefusedWithWhatWasLookedFor() throws IOException {
        refused(Status.NO_SUCH_FILE, "no language model", "model_q4.onnx");
        file("model.onnx", "");
        refused(Status.NO_SUCH_FILE, "no tokenizer.json");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{\"model\": {\"decoder\": {\"filename\": \"../other/model.onnx\"}}}; outside of its folder",
                "{\"model\": {\"decoder\": {\"filename\": 3}}}; filename",
                "{\"model\": {\"eos_token_id\": -1, \"decoder\": {\"filename\": \"m\"}}}; eos_token_id",
                "{\"model\": {\"context_length\": \"long\", \"decoder\": {\"filename\": \"m\"}}}; context_length",
                "{\"search\": {\"do_sample\": true, \"temperature\": -1}, \"model\": {\"decoder\": {\"filename\":"
                        + " \"m\"}}}; temperature",
                "[; no JSON"
            })
    void aBadConfigurationIsRefusedByName(String config, String said) throws IOException {
        file("tokenizer.json", "{}");
        file("genai_config.json", config);
        refused(Status.INVALID_ARGUMENT, said);
    }
}
