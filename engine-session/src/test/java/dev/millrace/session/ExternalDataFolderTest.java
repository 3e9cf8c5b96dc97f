package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The folder of external data that options name, for models that are read from a path. */
class ExternalDataFolderTest {
    private static final int WIDTH = 8;
    private static final String WEIGHTS = "weights.bin";

    @TempDir
    private Path folder = Path.of("");

    private Engine engine = Engine.create();
    private Path model = Path.of("");

    /** Writes one model whose weights are those of {@code one} or of {@code two}, by the folder that they are taken from. */
    @BeforeEach
    void write() throws IOException {
        engine.close();
        engine = Engine.create(EngineOptions.builder()
                .threads(1)
                .contextCache(ContextCache.in(folder.resolve("cache")))
                .build());
        for (String name : new String[] {"one", "two"}) {
            Path whole = Files.write(folder.resolve(name + ".onnx"), TestModels.perceptron(1, WIDTH, name.hashCode()));
            Path apart = Files.createDirectories(folder.resolve(name)).resolve("net.onnx");
            Models.write(Models.read(whole), apart, WriteOptions.externalData(WEIGHTS, 1));
        }
        model = Files.createDirectories(folder.resolve("model")).resolve("net.onnx");
        Files.move(folder.resolve("one/net.onnx"), model);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private SessionOptions from(String name) {
        return SessionOptions.builder().externalDataFolder(folder.resolve(name)).build();
    }

    private float[] answer(Path file, SessionOptions options) {
        try (Session session = engine.session(file, options)) {
            return TestModels.answer(session, WIDTH);
        }
    }

    @Test
    void weightsComeFromTheFolderThatIsNamed() {
        assertThat(answer(model, from("one")))
                .containsExactly(answer(folder.resolve("one.onnx"), SessionOptions.defaults()));
        assertThat(answer(model, from("two")))
                .containsExactly(answer(folder.resolve("two.onnx"), SessionOptions.defaults()));
    }

    @Test
    void theFolderOfTheModelIsNotLookedIntoThen() throws IOException {
        Files.copy(folder.resolve("one").resolve(WEIGHTS), model.resolveSibling(WEIGHTS));
        Path empty = Files.createDirectories(folder.resolve("empty"));
        assertThatThrownBy(() -> answer(model, from("empty")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE))
                .hasMessageContaining(empty.resolve(WEIGHTS).toString());
        assertThat(answer(model, SessionOptions.defaults())).containsExactly(answer(model, from("one")));
    }

    @Test
    void aModelIsCompiledWithTheWeightsOfTheFolder() {
        Path compiled = folder.resolve("net_ctx.onnx");
        engine.compiler(CompileOptions.of(from("two")).build())
                .compile(ModelInput.file(model), ModelOutput.file(compiled));
        assertThat(answer(compiled, SessionOptions.defaults()))
                .containsExactly(answer(folder.resolve("two.onnx"), SessionOptions.defaults()));
    }
}
