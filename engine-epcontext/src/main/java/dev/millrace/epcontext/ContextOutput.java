package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a context model and the files beside it go. */
record ContextOutput(Path model, @Nullable String initializers) {
    private static final String SUFFIX = "_ctx";

    /** The place that the options, or the source's own place, ask for. Throws where it will not do. */
    static ContextOutput of(EpContextOptions options, Model source) {
        var output = new ContextOutput(modelFile(options, source), options.externalInitializersFile());
        output.writeOptions();
        output.checkFolder();
        output.checkFree();
        return output;
    }

    private static Path modelFile(EpContextOptions options, Model source) {
        Path wanted = options.filePath();
        if (wanted != null) {
            if (!hasExtension(wanted) || Files.isDirectory(wanted)) {
                throw EngineException.invalidArgument("context_file_path should not point to a folder. It is '" + wanted
                        + "'; name the file to write, such as model_ctx.onnx");
            }
            return wanted.toAbsolutePath();
        }
        Path file = source.source();
        if (file == null) {
            throw new EngineException(
                    Status.FAIL,
                    "Inference session with a model loaded from bytes was configured with EPContext model generation"
                            + " enabled but without a valid location to write to. Please specify a valid"
                            + " ep.context_file_path (EpContextOptions.filePath).");
        }
        return file.toAbsolutePath().resolveSibling(source.stem() + SUFFIX + ".onnx");
    }

    private static boolean hasExtension(Path path) {
        Path name = path.getFileName();
        int dot = name == null ? -1 : name.toString().lastIndexOf('.');
        return dot > 0 && dot < name.toString().length() - 1;
    }

    private void checkFolder() {
        Path folder = model.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw EngineException.invalidArgument("the folder of " + model + " does not exist; create it first");
        }
    }

    /** Throws where something stands in the way: what somebody else wrote is never overwritten. */
    void checkFree() {
        checkFree(model);
        if (initializers != null) {
            checkFree(model.resolveSibling(initializers));
        }
    }

    private static void checkFree(Path file) {
        if (Files.exists(file)) {
            throw new EngineException(
                    Status.FAIL,
                    "Failed to generate EP context model since the file '" + file
                            + "' exists already. Please remove the"
                            + " EP context model if you want to re-generate it.");
        }
    }

    /** Where the model's initializers go: all to the file that was asked for, or inside. */
    WriteOptions writeOptions() {
        return initializers == null ? WriteOptions.inline() : WriteOptions.externalData(initializers, 0);
    }

    String modelName() {
        return model.getFileName().toString();
    }

    /** The name of a provider's binary beside the model. One that is left from before is replaced; nothing else is. */
    String binaryName(String provider) {
        String name = modelName();
        String stem = name.substring(0, name.lastIndexOf('.'));
        if (stem.endsWith(SUFFIX) && stem.length() > SUFFIX.length()) {
            stem = stem.substring(0, stem.length() - SUFFIX.length());
        }
        String binary = stem + "_" + provider.replaceAll("[^A-Za-z0-9._-]", "_") + ".bin";
        Path file = model.resolveSibling(binary);
        if (Files.exists(file) && !isContextBinary(file)) {
            throw new EngineException(
                    Status.FAIL,
                    "the context binary is to be written to '" + file + "', which exists already and is none; move it"
                            + " away or choose another ep.context_file_path");
        }
        return binary;
    }

    private static boolean isContextBinary(Path file) {
        try (Arena arena = Arena.ofConfined()) {
            return ContextTablesReader.hasMagic(FileMapping.of(file, arena));
        } catch (IOException e) {
            return false;
        }
    }
}
