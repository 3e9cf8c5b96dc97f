package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtModelCompilationOptions;
import ai.onnxruntime.OrtModelCompilationOptions.OrtCompileApiFlags;
import ai.onnxruntime.OrtSession.SessionOptions;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Models that are compiled ahead of time. */
@Tag("reference")
class CompilationTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @TempDir
    private Path folder;

    private Path source;
    private Path target;

    @BeforeEach
    void write() throws Exception {
        source = Files.write(folder.resolve("source.onnx"), SmallModels.weighted(false));
        target = folder.resolve("target.onnx");
    }

    private OrtModelCompilationOptions options() throws OrtException {
        try (var session = new SessionOptions()) {
            return OrtModelCompilationOptions.createFromSessionOptions(environment, session);
        }
    }

    private void assertComputes(Path model) throws OrtException {
        try (var session = environment.createSession(model.toString());
                var x = OnnxTensor.createTensor(environment, new float[] {1, 2});
                var result = session.run(Map.of("x", x))) {
            assertThat(result.get(0).getValue()).isEqualTo(new float[] {11, 22});
        }
    }

    @Test
    void aFileIsCompiled() throws OrtException {
        try (OrtModelCompilationOptions options = options()) {
            options.setInputModelPath(source.toString());
            options.setOutputModelPath(target.toString());
            options.compileModel();
            assertComputes(target);
            options.compileModel();
            assertComputes(target);
        }
    }

    @Test
    void aBufferIsCompiled() throws OrtException {
        byte[] model = SmallModels.weighted(false);
        try (OrtModelCompilationOptions options = options()) {
            options.setInputModelFromBuffer(
                    ByteBuffer.allocateDirect(model.length).put(model).flip());
            options.setOutputModelPath(target.toString());
            options.setEpContextEmbedMode(true);
            options.compileModel();
            assertComputes(target);
        }
    }

    @Test
    void withoutATargetTheModelIsBesideItsSource() throws OrtException {
        try (OrtModelCompilationOptions options = options()) {
            options.setInputModelPath(source.toString());
            options.compileModel();
            assertComputes(folder.resolve("source_ctx.onnx"));
        }
    }

    @Test
    void aFlagProtectsWhatIsThere() throws OrtException {
        try (OrtModelCompilationOptions options = options()) {
            options.setInputModelPath(source.toString());
            options.setOutputModelPath(target.toString());
            options.setCompilationFlags(EnumSet.of(OrtCompileApiFlags.ERROR_IF_OUTPUT_FILE_EXISTS));
            options.compileModel();
            assertThat(Failing.codeOf(options::compileModel)).isEqualTo(OrtErrorCode.ORT_FAIL);
        }
    }

    @Test
    void aModelHasToBeThere() throws OrtException {
        try (OrtModelCompilationOptions options = options()) {
            assertThat(Failing.codeOf(options::compileModel)).isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> {
                        options.setInputModelPath("/no/such.onnx");
                        options.setOutputModelPath(target.toString());
                        options.compileModel();
                    }))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
        }
        assertThat(target).doesNotExist();
    }

    @Test
    void optionsCloseOnce() throws OrtException {
        OrtModelCompilationOptions options = options();
        options.close();
        assertThatThrownBy(options::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(options::compileModel).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> options.setInputModelPath(source.toString()))
                .isInstanceOf(IllegalStateException.class);
    }
}
