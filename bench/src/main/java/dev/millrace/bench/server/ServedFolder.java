package dev.millrace.bench.server;

import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.bench.nets.SmallSum;
import dev.millrace.cli.ModelArgument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A repository of the models that are served. */
final class ServedFolder implements AutoCloseable {
    static final String SUM = "add8";
    static final String SENTENCES = "minilm";

    private final ScratchFolder folder = new ScratchFolder("millrace-server");

    ServedFolder() throws IOException {
        Path sum = folder(SUM);
        Files.move(SmallSum.in(sum), file(path(), SUM));
        folder(SENTENCES);
        Files.createSymbolicLink(
                file(path(), SENTENCES), ModelArgument.of(SENTENCES).file().toAbsolutePath());
    }

    private Path folder(String model) throws IOException {
        Path file = file(path(), model);
        return Files.createDirectories(file.resolveSibling("."));
    }

    Path path() {
        return folder.path();
    }

    /** Returns the file of a model's only version. */
    static Path file(Path repository, String model) {
        return repository.resolve(model, "1", "model.onnx");
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
