package dev.millrace.graph.format;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/** The folder of ONNX's backend tests beside the repository, where there is one. */
final class OnnxData {
    private OnnxData() {}

    /** The folder; the test is skipped where it is absent. */
    static Path folder() {
        for (Path place = Path.of("").toAbsolutePath(); place != null; place = place.getParent()) {
            Path folder = place.resolve("shared").resolve("onnx-data");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        System.out.println("shared/onnx-data is absent: tests on ONNX's own models are skipped");
        throw new TestAbortedException("shared/onnx-data is absent");
    }

    static List<Path> models() {
        try (var files = Files.walk(folder())) {
            List<Path> models = files.filter(file -> file.toString().endsWith(".onnx"))
                    .sorted()
                    .toList();
            Assumptions.assumeFalse(models.isEmpty());
            return models;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Path model(String suite, String name) {
        return folder().resolve(suite).resolve(name).resolve("model.onnx");
    }
}
