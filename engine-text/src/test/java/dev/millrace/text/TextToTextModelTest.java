package dev.millrace.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Engine;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.TokenUsage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that says the text again. Its tokenizer puts {@code <s>} and {@code </s>} around a text. */
class TextToTextModelTest {
    private static final String TEXT = "The mill and the water turn.";

    @AutoClose
    private final Engine engine = Engine.create();

    @TempDir
    private Path folder = Path.of("");

    private TextToTextModel model(String generation) throws IOException {
        byte[] tokenizer = GoldenTest.content("unigram.json");
        int words = Tokenizer.of(tokenizer).id("river") + 1;
        Files.write(folder.resolve("tokenizer.json"), tokenizer);
        Path models = Files.createDirectories(folder.resolve("onnx"));
        Files.write(models.resolve("encoder_model_quantized.onnx"), CopyingModel.encoder(words));
        Files.write(models.resolve("decoder_model_quantized.onnx"), CopyingModel.decoder(words));
        Files.writeString(
                folder.resolve("config.json"),
                "{\"decoder_start_token_id\": 3, \"eos_token_id\": 2, \"max_length\": 100, \"num_beams\": 1}");
        Files.writeString(folder.resolve("generation_config.json"), generation);
        return TextToTextModel.open(engine, folder);
    }

    @Test
    void aTextBecomesATextInEachWay() throws IOException {
        try (TextToTextModel model = model("{}")) {
            int length = model.tokenizer().encode(TEXT).ids().length;
            var expected = new Completion(TEXT, new TokenUsage(length, 0, length), Ending.STOP_TOKEN);
            assertThat(model.run(TEXT)).isEqualTo(expected);
            assertThat(model.mono(TEXT).block()).isEqualTo(expected);
            List<String> pieces =
                    model.flux(TEXT, model.defaults()).collectList().block();
            assertThat(pieces).hasSizeGreaterThan(3).doesNotContain("");
            assertThat(String.join("", pieces)).isEqualTo(TEXT);
            assertThat(model.search()).isNull();
        }
    }

    @Test
    void theFilesSayHowToSearch() throws IOException {
        String generation =
                "{\"num_beams\": 3, \"length_penalty\": 0.5, \"early_stopping\": true, \"max_new_tokens\": 50,"
                        + " \"bad_words_ids\": [[3]]}";
        try (TextToTextModel model = model(generation)) {
            assertThat(model.search())
                    .isEqualTo(BeamOptions.builder()
                            .beams(3)
                            .lengthPenalty(0.5)
                            .stopping(BeamOptions.Stopping.AT_FIRST)
                            .build());
            assertThat(model.defaults().maxTokens()).isEqualTo(50);
            assertThat(model.defaults().logitBias()).containsOnlyKeys(3L);
            assertThat(model.run(TEXT).text()).isEqualTo(TEXT);
            assertThat(model.mono(TEXT).block()).isEqualTo(model.run(TEXT));
            List<TextToTextModel.ScoredText> best = model.best(
                    TEXT,
                    model.defaults(),
                    BeamOptions.builder().beams(3).returned(2).build());
            assertThat(best).hasSize(2);
            assertThat(best.getFirst().completion().text()).isEqualTo(TEXT);
            assertThat(best.getFirst().score()).isGreaterThan(best.getLast().score());
        }
    }

    @Test
    void languagesAreTheFirstTokens() throws IOException {
        try (TextToTextModel model = model("{}")) {
            TextToTextModel to = model.to("river");
            assertThat(to.run("water").text())
                    .as("in place of the first token, <s>")
                    .isEqualTo("river water");
            TextToTextModel both = model.from("<mask>").to("river");
            assertThat(both.run("water").text()).isEqualTo("river water");
            assertThat(both.run("water").usage().prompt())
                    .isEqualTo(model.run("water").usage().prompt());
            assertThatThrownBy(() -> model.to("xx")).hasMessageContaining("no token 'xx'");
        }
    }

    @Test
    void theFilesBoundTheLengthOfATextAndForceItsEnds() throws IOException {
        try (TextToTextModel model =
                model("{\"forced_bos_token_id\": 263, \"forced_eos_token_id\": 2, \"max_length\": 4}")) {
            Completion cut = model.run(TEXT);
            assertThat(cut.tokens()).isEqualTo(3);
            assertThat(cut.text()).startsWith("river");
            assertThat(cut.ending())
                    .as("the last token is forced to be the end")
                    .isEqualTo(Ending.STOP_TOKEN);
        }
        try (TextToTextModel model = model("{\"min_length\": 30, \"max_length\": 60}")) {
            assertThat(model.run("water").tokens()).isGreaterThanOrEqualTo(29);
            GenerationOptions few = model.defaults().toBuilder().maxTokens(3).build();
            assertThat(model.run("water", few).tokens()).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void aFolderThatLacksAPartIsRefusedWithItsName() throws IOException {
        model("{}").close();
        Files.writeString(folder.resolve("config.json"), "{}");
        assertThatThrownBy(() -> TextToTextModel.open(folder)).hasMessageContaining("decoder_start_token_id");
        Files.delete(folder.resolve("onnx/encoder_model_quantized.onnx"));
        assertThatThrownBy(() -> TextToTextModel.open(folder))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE))
                .hasMessageContainingAll("encoder_model.onnx", "decoder_model_merged.onnx");
    }
}
