package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** {@code millrace chat} with a model of six words whose answer to anything is "the mill runs". */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class ChatCommandTest {

    @TempDir
    private Path folder = Path.of("");

    private final InputStream usual = System.in;

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), """
            {"model": {"type": "WordLevel", "unk_token": "other",
              "vocab": {"the": 0, "mill": 1, "runs": 2, "</s>": 3, "bot": 4, "other": 5}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """);
        Files.writeString(
                folder.resolve("chat_template.jinja"),
                "{% for message in messages %}{{ message.content }} {% endfor %}bot");
        Files.writeString(
                folder.resolve("genai_config.json"),
                "{\"model\": {\"eos_token_id\": 3, \"decoder\": {\"filename\": \"model.onnx\"}}}");
        WordModel.write(folder.resolve("model.onnx"), 1, 2, 3, 3, 0, 5);
    }

    @AfterEach
    void putBack() {
        System.setIn(usual);
    }

    private Command chat(String lines, Object... options) {
        System.setIn(new ByteArrayInputStream(lines.getBytes(Charset.defaultCharset())));
        Object[] all = new Object[options.length + 2];
        all[0] = "chat";
        all[1] = folder;
        System.arraycopy(options, 0, all, 2, options.length);
        return millrace(all);
    }

    @Test
    void eachLineIsAnswered() {
        Command ran = chat("hello\n\nhello\\\nagain\n/reset\n/system be brief\nhello\n/exit\nhello\n");
        assertThat(ran.err()).isEmpty();
        assertThat(ran.code()).isZero();
        assertThat(ran.out().lines()).containsExactly("the mill runs", "the mill runs", "the mill runs");
    }

    @Test
    void ordersAreListed() {
        Command ran = chat("/help\n/nonsense\n");
        assertThat(ran.out()).contains("/reset", "/system TEXT", "there is no /nonsense");
        assertThat(ran.code()).isZero();
    }

    @Test
    void statsSayThePaceOfEachAnswer() {
        Command ran = chat("hello\n/stats\nhello\n", "--system", "brief", "--stats", "--stop", " runs");
        assertThat(ran.out().lines()).containsExactly("the mill", "the mill");
        assertThat(ran.err().lines())
                .singleElement()
                .asString()
                .matches("opened in .* s; 3 tokens read in .* s, .* a second; 3 tokens generated in .* s.*stopped");
    }

    @Test
    void failuresEndACommandThatReadsNoTerminal() throws IOException {
        Command ran = chat("hello\n", "--logit-bias", "wheel=1");
        assertThat(ran.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(ran.err()).contains("no token 'wheel'");
        assertThat(chat("", "--top-p", 2).code()).isEqualTo(ExitCode.USAGE);
        Files.delete(folder.resolve("chat_template.jinja"));
        Command without = chat("hello\n");
        assertThat(without.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(without.err()).contains("no chat template");
    }
}
