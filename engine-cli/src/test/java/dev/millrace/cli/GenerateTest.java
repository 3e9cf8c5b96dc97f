package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace generate} with a model of five words, each of which is followed by the next one, the last by the first. */
class GenerateTest {

    @TempDir
    private Path folder = Path.of("");

    private Path model = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "</s>", "vocab": {"the": 0, "mill": 1, "runs": 2, "on": 3, "</s>": 4}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 4, "content": "</s>", "special": true}]}
            """);
        model = WordModel.write(folder.resolve("model.onnx"), 1, 2, 3, 4, 0);
    }

    private Command generate(Object... options) {
        Object[] all = new Object[options.length + 3];
        all[0] = "generate";
        all[1] = model;
        all[2] = "the mill";
        System.arraycopy(options, 0, all, 3, options.length);
        return millrace(all);
    }

    private void prints(String text, Object... options) {
        Command ran = generate(options);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.code()).isZero();
        assertThat(ran.out()).isEqualTo(text + System.lineSeparator());
    }

    private void refuses(int code, String message, Object... options) {
        Command ran = generate(options);
        assertThat(ran.code()).isEqualTo(code);
        assertThat(ran.err()).contains(message);
        assertThat(ran.out()).isEmpty();
    }

    @Test
    void aTextGoesOnToItsEnd() {
        prints(" runs on");
        prints(" runs", "-n", 1);
        prints(" runs", "--stop", " on");
        prints(" runs", "--stop-token", "runs");
        prints(" runs", "--stop-token", 2);
        prints(" runs on", "--tokenizer", folder.resolve("tokenizer.json"), "--temperature", "2", "--top-k", 1);
        prints(" runs", "--context", 2);
    }

    @Test
    void beamsAreSearched() {
        prints(" runs on", "--beams", 2);
        prints(" runs", "--beams", 2, "--stop", " on");
        refuses(ExitCode.USAGE, "--beams is 0", "--beams", 0);
    }

    @Test
    void tokensAreDrawnBySurprise() {
        prints(" runs on", "--temperature", "1", "--mirostat", "0.001", "--mirostat-rate", "0.001");
        prints(" runs on", "--temperature", "0.001", "--typical-p", "0.5");
        refuses(ExitCode.USAGE, "--mirostat-rate belongs to", "--mirostat-rate", "0.1");
        refuses(ExitCode.USAGE, "mirostat draws tokens", "--mirostat", 5);
    }

    @Test
    void chanceCanBeRepeated() {
        Object[] drawn = {"--temperature", "4", "--seed", 5, "-n", 40, "--stop-token", 99, "--top-p", "0.99"};
        assertThat(generate(drawn).out()).isEqualTo(generate(drawn).out()).contains("mill");
    }

    @Test
    void statsGoToTheStandardError() {
        Command ran = generate("--stats");
        assertThat(ran.out()).isEqualTo(" runs on" + System.lineSeparator());
        assertThat(ran.err())
                .matches("(?s)opened in .* s; 2 tokens read in .* s, .* a second; 3 tokens generated in .* s, .* a"
                        + " second; ended by stop token\\R");
    }

    @Test
    void aFolderIsEnough() throws IOException {
        Files.writeString(folder.resolve("genai_config.json"), """
            {"model": {"context_length": 4, "eos_token_id": 2, "decoder": {"filename": "model.onnx"}}}
            """);
        assertThat(millrace("generate", folder, "the mill").out()).isEqualTo(" runs" + System.lineSeparator());
        Command full = millrace("generate", folder, "the mill", "--stop-token", 99, "--stats");
        assertThat(full.out()).isEqualTo(" runs on" + System.lineSeparator());
        assertThat(full.err()).contains("context full");
    }

    @Test
    void optionsThatMakeNoSenseAreSaid() {
        refuses(ExitCode.USAGE, "--max-tokens is 0", "-n", 0);
        refuses(ExitCode.USAGE, "--top-k is 0", "--top-k", 0);
        refuses(ExitCode.USAGE, "topP is 2.0", "--top-p", 2);
        refuses(ExitCode.USAGE, "temperature is -1.0", "--temperature", -1);
        refuses(ExitCode.USAGE, "--stop is an empty text", "--stop", "");
        assertThat(millrace("generate", model).code()).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void whatIsNotThereIsNamed() throws IOException {
        refuses(ExitCode.REFUSED, "no token 'wheel'", "--stop-token", "wheel");
        refuses(ExitCode.REFUSED, "2 tokens, and the model sees 1", "--context", 1);
        refuses(ExitCode.REFUSED, "NO_SUCH_FILE", "--tokenizer", folder.resolve("nowhere.json"));
        Command empty = millrace("generate", model, "");
        assertThat(empty.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(empty.err()).contains("the prompt is empty");
        Files.delete(folder.resolve("tokenizer.json"));
        refuses(ExitCode.REFUSED, "no tokenizer.json beside");
    }
}
