package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A model of a test's own, what comes of compiling it, and whether that is right. */
public abstract class CompiledTest {
    static final int WIDTH = 48;

    @TempDir
    Path folder = Path.of("");

    final Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
    final byte[] model = TestModels.perceptron(3, WIDTH, 5);
    Path source = Path.of("");
    Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), model);
        target = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    static CompileOptions.Builder options() {
        return CompileOptions.builder();
    }

    CompileReport compile(ModelInput input, ModelOutput output, CompileOptions.Builder options) {
        return engine.compiler(options.build()).compile(input, output);
    }

    CompileReport compile(CompileOptions.Builder options) {
        return compile(ModelInput.file(source), ModelOutput.file(target), options);
    }

    static float[] answer(Session session) {
        return TestModels.answer(session, WIDTH);
    }

    /** Opens what was compiled without leave to compile, and holds its answer against the source's. */
    void assertAnswersAsItsSource(byte[] compiled) {
        assertAnswersAsItsSource(compiled, SessionOptions.builder());
    }

    void assertAnswersAsItsSource(byte[] compiled, SessionOptions.Builder options) {
        try (Session session = engine.session(
                        compiled, options.disableModelCompile(true).build());
                Session plain = engine.session(source)) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    void assertAnswersAsItsSource(Path compiled) {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        try (Session session = engine.session(compiled, options);
                Session plain = engine.session(source)) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    public static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
