package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import java.nio.file.Files;
import java.nio.file.Path;

/** The outputs that a session's or a compiler's options ask for. */
public final class ContextOutputs {
    private ContextOutputs() {}

    /**
     * Returns the output that a session's options ask for, by default beside its source. It
     * never replaces existing files.
     */
    public static ContextOutput of(EpContextOptions options, Model source) {
        return toFile(modelFile(options, source), options, tensors(options));
    }

    /** Returns output to a file, with the binaries beside it. */
    public static ContextOutput toFile(Path model, EpContextOptions options, WriteOptions tensors) {
        if (!ContextOutput.hasExtension(model) || Files.isDirectory(model)) {
            throw EngineException.invalidArgument("context_file_path should not point to a folder. It is '" + model
                    + "'; name the file to write, such as model_ctx.onnx");
        }
        Path file = model.toAbsolutePath();
        return new ContextOutput(
                file,
                file.getParent(),
                ContextOutput.stemOf(file),
                options.embedMode() == 1,
                options.nodeNamePrefix(),
                tensors,
                null,
                false);
    }

    /**
     * Returns output to memory or to a stream, of the model alone unless {@link ContextOutput#withBinaries}
     * names a place for the binaries.
     */
    public static ContextOutput toStream(EpContextOptions options, WriteOptions tensors) {
        return new ContextOutput(
                null, null, "", options.embedMode() == 1, options.nodeNamePrefix(), tensors, null, false);
    }

    private static WriteOptions tensors(EpContextOptions options) {
        String file = options.externalInitializersFile();
        return file == null ? WriteOptions.inline() : WriteOptions.externalData(file, 0);
    }

    private static Path modelFile(EpContextOptions options, Model source) {
        Path wanted = options.filePath();
        return wanted == null ? ContextOutput.besideSource(source) : wanted;
    }
}
