package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Files that a command is asked to write. */
final class OutputFile {
    private OutputFile() {}

    /** Refuses to write over the model, which is being read while it runs; {@code file} may be null or not there yet. */
    static void mayBe(@Nullable Path file, ModelArgument model) throws IOException {
        if (file != null && Files.exists(file) && Files.exists(model.file()) && Files.isSameFile(file, model.file())) {
            throw EngineException.invalidArgument("the output " + file + " is the model itself");
        }
    }
}
