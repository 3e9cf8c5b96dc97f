package dev.millrace.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder of models that a test fills. */
record TestRepository(Path folder) {
    /** Writes a version of a model. */
    TestRepository version(String model, int version, byte[] onnx) {
        return write(model + "/" + version + "/model.onnx", onnx);
    }

    TestRepository config(String model, String config) {
        return write(model + "/config.pbtxt", config.getBytes());
    }

    TestRepository write(String path, byte[] content) {
        try {
            Path file = folder.resolve(path);
            Files.createDirectories(file.getParent());
            Path next = file.resolveSibling(".next");
            Files.write(next, content);
            Files.move(next, file, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
