package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.ContextTablesReader;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The destinations of a context model and the files beside it, and the way of writing them.
 *
 * @param model the model's file, or null if it is written to memory or to a stream
 * @param folder the folder of the context binaries; null if a model without a file has none
 * @param stem the beginning of the names of context binaries
 * @param embeds whether the binaries are embedded in the model
 * @param prefix the prefix of the names of context nodes and their partitions
 * @param tensors the places of initializers
 * @param target the target that takes the binaries in place of the folder, or null
 * @param replaces whether existing files are replaced
 */
public record ContextOutput(
        @Nullable Path model,
        @Nullable Path folder,
        String stem,
        boolean embeds,
        String prefix,
        WriteOptions tensors,
        @Nullable BinaryTarget target,
        boolean replaces) {
    private static final String SUFFIX = "_ctx";

    /** Returns this output with its binaries in a folder, their names beginning with that of a model. */
    public ContextOutput withBinaries(Path binaryFolder, String modelName) {
        if (modelName.isEmpty() || binaryFolder.toString().isEmpty()) {
            throw EngineException.invalidArgument("output_dir or model_name is empty: context binaries need both");
        }
        if (modelName.contains("/") || modelName.contains("\\")) {
            throw EngineException.invalidArgument(
                    "model_name is '" + modelName + "'; it is a name, and output_dir says in which folder");
        }
        if (!Files.isDirectory(binaryFolder)) {
            throw EngineException.invalidArgument("output_dir is not a valid directory: " + binaryFolder);
        }
        return new ContextOutput(
                model, binaryFolder.toAbsolutePath().normalize(), modelName, embeds, prefix, tensors, target, replaces);
    }

    /** Returns this output with a target for its binaries, their names beginning with that of a model. */
    public ContextOutput withTarget(BinaryTarget newTarget, String modelName) {
        if (modelName.isEmpty()) {
            throw EngineException.invalidArgument("the name of the model is empty: context binaries need one");
        }
        return new ContextOutput(model, folder, modelName, embeds, prefix, tensors, newTarget, replaces);
    }

    /** Returns this output such that existing files are replaced. */
    public ContextOutput replacing() {
        return new ContextOutput(model, folder, stem, embeds, prefix, tensors, target, true);
    }

    /**
     * Returns this output with the binaries of another output in this folder, and with that
     * output's spelling of the folder.
     */
    ContextOutput beside(ContextOutput other) {
        Path file = other.requireModel().resolveSibling(requireModel().getFileName());
        return new ContextOutput(file, other.folder, other.stem, embeds, prefix, tensors, other.target, replaces);
    }

    ContextOutput withPrefix(String newPrefix) {
        return new ContextOutput(model, folder, stem, embeds, newPrefix, tensors, target, replaces);
    }

    /** Returns the default path of a context model: {@code <source>_ctx.onnx} beside its source. */
    public static Path besideSource(Model source) {
        Path file = source.source();
        if (file == null) {
            throw new EngineException(
                    Status.FAIL,
                    "Inference session with a model loaded from bytes was configured with EPContext model generation"
                        + " enabled but without a valid location to write to. Please specify a valid"
                        + " ep.context_file_path (EpContextOptions.filePath);"
                        + " session.model_external_initializers_file_folder_path says where data of the source lies,"
                        + " and not where to write.");
        }
        return file.toAbsolutePath().resolveSibling(source.stem() + SUFFIX + ".onnx");
    }

    static boolean hasExtension(Path path) {
        Path name = path.getFileName();
        int dot = name == null ? -1 : name.toString().lastIndexOf('.');
        return dot > 0 && dot < name.toString().length() - 1;
    }

    static String stemOf(Path model) {
        String name = model.getFileName().toString();
        String stem = name.substring(0, name.lastIndexOf('.'));
        return stem.endsWith(SUFFIX) && stem.length() > SUFFIX.length()
                ? stem.substring(0, stem.length() - SUFFIX.length())
                : stem;
    }

    /**
     * Throws if nothing can be written to this output; to be called before anything is compiled,
     * and again before it is written.
     */
    public void check(Model source) {
        MappedFile.check(source.mapped());
        if (model == null) {
            checkFolderOfBinaries();
        } else {
            Path parent = model.getParent();
            if (parent == null || !Files.isDirectory(parent)) {
                throw EngineException.invalidArgument("the folder of " + model + " does not exist; create it first");
            }
            checkFree(model);
            if (folder != null && !embeds && target == null) {
                nameOf(folder.resolve(stem));
            }
        }
        Path data = data();
        if (data != null) {
            checkFree(data);
        }
        Path file = source.source();
        checkApart(file == null ? List.of() : List.of(file));
    }

    /** Throws if an output would overwrite a file that the source is read from. */
    public void checkApart(Collection<Path> read) {
        for (Path file : read) {
            checkApart(model, file);
            checkApart(data(), file);
        }
    }

    private void checkFolderOfBinaries() {
        boolean lacks = !embeds && target == null || tensors.externalFile() != null;
        if (folder == null && lacks) {
            throw EngineException.invalidArgument("Unable to generate an output model path: a model that is not written"
                    + " to a file needs a folder and a name for the files beside it, or all of them inside of it");
        }
    }

    private static void checkApart(@Nullable Path written, Path read) {
        try {
            if (written != null && Files.exists(written) && Files.exists(read) && Files.isSameFile(written, read)) {
                throw EngineException.invalidArgument(
                        "'" + written + "' is to be written over its source, which is read from there");
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "output " + written + " cannot be read: " + e, e);
        }
    }

    /** Throws if the file exists: files that others wrote are overwritten only on request. */
    private void checkFree(Path file) {
        if (!replaces && Files.exists(file)) {
            throw exists(file);
        }
    }

    static EngineException exists(Path file) {
        return new EngineException(
                Status.FAIL,
                "Failed to generate EP context model since the file '" + file
                        + "' exists already. Please remove the EP context model if you want to re-generate it, or have"
                        + " it replaced: --replace of the command, errorIfOutputExists(false) of CompileOptions.");
    }

    Path requireModel() {
        if (model == null) {
            throw new IllegalStateException("this output has no file");
        }
        return model;
    }

    /** The file that takes initializers, or null if there is none. */
    @Nullable
    Path data() {
        String name = tensors.externalFile();
        if (name == null) {
            return null;
        }
        return model == null ? requireFolder().resolve(name) : model.resolveSibling(name);
    }

    private Path requireFolder() {
        if (folder == null) {
            throw new IllegalStateException("this output has no folder");
        }
        return folder;
    }

    /** Returns the folder of a file by its canonical path. */
    static Path folder(Path file) {
        Path absolute = file.toAbsolutePath();
        Path folder = absolute.getParent();
        if (folder == null) {
            return absolute;
        }
        try {
            return folder.toRealPath();
        } catch (IOException e) {
            return folder.normalize();
        }
    }

    /** Returns the file name of a provider's binary. */
    String binaryName(String provider) {
        return stem + "_" + provider.replaceAll("[^A-Za-z0-9._-]", "_") + ".bin";
    }

    /** Returns a context node's name for a provider's binary. */
    String reference(String provider) {
        return target == null ? nameOf(binary(provider)) : binaryName(provider);
    }

    /**
     * Returns the file of a provider's binary. A binary from an earlier compilation is replaced, unless it would be the
     * only visible output of that compilation; no other file is.
     */
    Path binary(String provider) {
        Path file = requireFolder().resolve(binaryName(provider));
        if (model == null) {
            checkFree(file);
        }
        if (Files.exists(file) && !isContextBinary(file)) {
            throw new EngineException(
                    Status.FAIL,
                    "the context binary is to be written to '" + file + "', which exists already and is none; move it"
                            + " away or choose another ep.context_file_path");
        }
        return file;
    }

    /** Returns a context node's name for a binary: its path relative to the model's folder. */
    private String nameOf(Path binary) {
        Path from = model == null ? requireFolder() : model.getParent();
        if (from == null || !binary.startsWith(from)) {
            throw EngineException.invalidArgument("the context binary " + binary
                    + " is to lie in the folder of the model " + model + " or below, so that the model can name it");
        }
        return from.relativize(binary).toString().replace('\\', '/');
    }

    private static boolean isContextBinary(Path file) {
        try {
            return FileMapping.use(file, ContextTablesReader::hasMagic);
        } catch (IOException e) {
            return false;
        }
    }
}
