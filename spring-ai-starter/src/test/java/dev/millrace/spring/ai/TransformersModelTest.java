package dev.millrace.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.transformers.TransformersEmbeddingModel;
import org.springframework.core.io.FileSystemResource;

/**
 * Tests Spring AI's in-process model, unchanged, over the drop-ins for ONNX Runtime, DJL's tokenizers and DJL's engine. Its vectors are
 * those of this module.
 */
@Tag("reference")
class TransformersModelTest {
    private static final List<String> TEXTS = List.of(
            "A cat sits on the mat.",
            "Größe, naïveté, 日本語 and 🦀 in one text.",
            "x",
            "An undershot wheel turns where water flows below it. ".repeat(70));

    @TempDir
    private static Path folder = Path.of("");

    @BeforeAll
    static void write() throws IOException {
        copy("/all-minilm-l6-v2.onnx", "model.onnx");
        copy("/all-minilm-l6-v2-tokenizer.json", "tokenizer.json");
    }

    private static void copy(String resource, String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(TransformersModelTest.class.getResourceAsStream(resource))) {
            Files.copy(in, folder.resolve(name));
        }
    }

    private static List<float[]> vectorsOfSpringAi() throws Exception {
        try (var model = new TransformersEmbeddingModel()) {
            model.setModelResource(new FileSystemResource(folder.resolve("model.onnx")));
            model.setTokenizerResource(new FileSystemResource(folder.resolve("tokenizer.json")));
            model.setTokenizerOptions(Map.of("padding", "true"));
            model.setDisableCaching(true);
            model.afterPropertiesSet();
            return model.embed(TEXTS);
        }
    }

    @Test
    void vectorsAreThoseOfSpringAisModelOverTheDropIns() throws Exception {
        List<float[]> expected = vectorsOfSpringAi();
        try (Engine engine = Engine.create();
                Session session = engine.session(folder.resolve("model.onnx"))) {
            Tokenizer tokenizer = Tokenizer.read(folder.resolve("tokenizer.json"));
            Embedder embedder = Embedder.of(session, tokenizer.paddedTo(0)).normalising(false);
            List<float[]> vectors =
                    EngineEmbeddingModel.builder(embedder).build().embed(TEXTS);
            assertThat(vectors).hasSameSizeAs(expected);
            for (int i = 0; i < TEXTS.size(); i++) {
                assertThat(vectors.get(i)).as("text %d", i).containsExactly(expected.get(i), within(1e-5f));
            }
        }
    }
}
