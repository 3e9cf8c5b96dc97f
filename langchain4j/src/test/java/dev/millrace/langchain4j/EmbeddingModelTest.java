package dev.millrace.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import dev.langchain4j.model.embedding.request.EmbeddingInput;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.spi.model.embedding.EmbeddingModelFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that vectors are those of LangChain4j's in-process model, so that nobody has to index again. */
@Tag("reference")
class EmbeddingModelTest {
    private static final List<TextSegment> SEGMENTS = List.of(
            TextSegment.from("A cat sits on the mat."),
            TextSegment.from("Interest rates rise; 1,234.50 EUR are due."),
            TextSegment.from("Größe, naïveté, 日本語 and 🦀 in one text."),
            TextSegment.from("x"),
            TextSegment.from("An undershot wheel turns where water flows below it. ".repeat(70)),
            TextSegment.from("stream of words ".repeat(400)),
            TextSegment.from("antidisestablishmentarianism ".repeat(150)));

    @TempDir
    private static Path folder = Path.of("");

    @BeforeAll
    static void write() throws IOException {
        copy("/all-minilm-l6-v2.onnx", "model.onnx");
        copy("/all-minilm-l6-v2-tokenizer.json", "tokenizer.json");
    }

    private static void copy(String resource, String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(EmbeddingModelTest.class.getResourceAsStream(resource))) {
            Files.copy(in, folder.resolve(name));
        }
    }

    @Test
    @SuppressWarnings("NullAway") // callers without checks of nullness pass null
    void vectorsAreThoseOfTheInProcessModel() throws Exception {
        boolean isThere = System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64");
        assumeTrue(isThere, "the native libraries are for other systems, or not tried there");
        List<Embedding> expected =
                new AllMiniLmL6V2EmbeddingModel().embedAll(SEGMENTS).content();
        try (MillraceEmbeddingModel model = MillraceEmbeddingModel.open(folder)) {
            Response<List<Embedding>> response = model.embedAll(SEGMENTS);
            for (int i = 0; i < SEGMENTS.size(); i++) {
                assertThat(response.content().get(i).vector())
                        .as("segment %d", i)
                        .containsExactly(expected.get(i).vector(), within(1e-5f));
            }
            assertThat(Objects.requireNonNull(response.tokenUsage()).inputTokenCount())
                    .isGreaterThan(2000);
            assertThat(model.embed("A cat sits on the mat.").content().vector())
                    .containsExactly(expected.getFirst().vector(), within(1e-5f));
            assertThat(model.dimension()).isEqualTo(384);
            assertThat(model.embedAll(List.of()).content()).isEmpty();
            assertThat(model.modelName()).isEqualTo("model");
            EmbeddingRequest request = EmbeddingRequest.builder()
                    .inputs(EmbeddingInput.from(SEGMENTS.get(1)), EmbeddingInput.from(SEGMENTS.get(0)))
                    .build();
            EmbeddingResponse later = model.embedAsync(request).get(1, TimeUnit.MINUTES);
            assertThat(later.embeddings().get(1).vector())
                    .containsExactly(expected.getFirst().vector(), within(1e-5f));
            assertThat(later.tokenUsage())
                    .isEqualTo(model.embedAll(SEGMENTS.subList(0, 2)).tokenUsage());
            assertThatThrownBy(() -> model.embedAll(null)).hasMessageContaining("segments cannot be null");
        }
    }

    @Test
    void easyRagFindsTheModelByItsProperty() {
        EmbeddingModelFactory factory = ServiceLoader.load(EmbeddingModelFactory.class).stream()
                .filter(provider -> provider.type() == MillraceEmbeddingModelFactory.class)
                .findFirst()
                .orElseThrow()
                .get();
        assertThatThrownBy(factory::create).hasMessageContaining("Set the system property millrace.embedding.model");
        for (Path path : List.of(folder, folder.resolve("model.onnx"))) {
            System.setProperty("millrace.embedding.model", path.toString());
            try {
                EmbeddingModel model = factory.create();
                assertThat(model.embed("water").content().dimension()).isEqualTo(384);
                ((MillraceEmbeddingModel) model).close();
            } finally {
                System.clearProperty("millrace.embedding.model");
            }
        }
    }
}
