package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model whose initializer {@code w}, which is 10 and 20, is in a file of its own. */
@Tag("reference")
class ExternalDataTest {
    private static final String FOLDER_KEY = "session.model_external_initializers_file_folder_path";

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    @TempDir
    private Path folder;

    private Path file;

    @BeforeEach
    void write() {
        file = folder.resolve("model.onnx");
        Models.write(Models.read(SmallModels.weighted(false), null), file, WriteOptions.externalData("w.bin", 0));
        assertThat(folder.resolve("w.bin")).hasSize(8);
    }

    private OnnxTensor vector(float... values) throws OrtException {
        return OnnxTensor.createTensor(environment, values);
    }

    private void assertAdds(float[] expected, OrtSession opened) throws OrtException {
        try (opened;
                OnnxTensor x = vector(1, 2);
                var result = opened.run(Map.of("x", x))) {
            assertThat(result.get(0).getValue()).isEqualTo(expected);
        }
    }

    @Test
    void aFileIsReadBesideTheModelOrInItsFolder() throws Exception {
        assertAdds(new float[] {11, 22}, environment.createSession(file.toString()));
        try (var options = new SessionOptions()) {
            options.addConfigEntry(FOLDER_KEY, folder.toString());
            assertAdds(new float[] {11, 22}, environment.createSession(Files.readAllBytes(file), options));
        }
    }

    @Test
    void anInitializerIsGivenInPlaceOfItsFile() throws Exception {
        Files.delete(folder.resolve("w.bin"));
        try (var options = new SessionOptions();
                OnnxTensor w = vector(100, 200)) {
            options.addExternalInitializers(Map.of("w", w));
            assertAdds(new float[] {101, 202}, environment.createSession(file.toString(), options));
            assertAdds(new float[] {101, 202}, environment.createSession(Files.readAllBytes(file), options));
        }
    }

    @Test
    void otherInitializersAreReadFromTheirFolder() throws Exception {
        try (var options = new SessionOptions();
                OnnxTensor other = vector(100, 200)) {
            options.addConfigEntry(FOLDER_KEY, folder.toString());
            options.addInitializer("other", other);
            assertAdds(new float[] {11, 22}, environment.createSession(Files.readAllBytes(file), options));
        }
    }

    @Test
    void anInitializerIsGivenOnceAndFits() throws Exception {
        try (var options = new SessionOptions();
                OnnxTensor w = vector(100)) {
            options.addExternalInitializers(Map.of("w", w));
            assertThat(Failing.codeOf(() -> options.addExternalInitializers(Map.of("w", w))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            // the code differs
            assertThat(Failing.codeOf(() -> environment.createSession(file.toString(), options)))
                    .isNotEqualTo(OrtErrorCode.ORT_OK);
        }
    }

    @Test
    void aFileHasToBeThere() throws Exception {
        Files.delete(folder.resolve("w.bin"));
        Failing.codeOf(() -> environment.createSession(file.toString()));
        Failing.codeOf(() -> environment.createSession(Files.readAllBytes(file)));
    }
}
