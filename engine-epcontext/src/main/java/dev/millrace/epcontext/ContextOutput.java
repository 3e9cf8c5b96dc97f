package dev.millrace.epcontext;

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
 * Where a context model and the files beside it go, and how they are written.
 *
 * @param model the model's file, or null where it goes to memory or to a stream
 * @param folder of the context binaries; null where a model without a file has none
 * @param stem what the names of the context binaries begin with
 * @param embeds whether the binaries stand inside of the model
 * @param prefix before the names of context nodes and their partitions
 * @param tensors where initializers go
 * @param target takes the binaries in place of the folder, or null
 * @param replaces whether files that stand there are replaced
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

    /** The output that a session's options ask for, by default beside its source. What stands there is never replaced. */
    public static ContextOutput of(EpContextOptions options, Model source) {
        return toFile(modelFile(options, source), options, tensors(options));
    }

    /** Output to a file, with the binaries beside it. */
    public static ContextOutput toFile(Path model, EpContextOptions options, WriteOptions tensors) {
        if (!hasExtension(model) || Files.isDirectory(model)) {
            throw EngineException.invalidArgument("context_file_path should not point to a folder. It is '" + model
                    + "'; name the file to write, such as model_ctx.onnx");
        }
        Path file = model.toAbsolutePath();
        return new ContextOutput(
                file,
                file.getParent(),
                stemOf(file),
                options.embedMode() == 1,
                options.nodeNamePrefix(),
                tensors,
                null,
                false);
    }

    /** Output to memory or to a stream: of the model alone, unless {@link #withBinaries} says where the binaries go. */
    public static ContextOutput toStream(EpContextOptions options, WriteOptions tensors) {
        return new ContextOutput(
                null, null, "", options.embedMode() == 1, options.nodeNamePrefix(), tensors, null, false);
    }

    /** The same with its binaries in a folder, their names beginning with that of a model. */
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

    /** The same with its binaries, their names beginning with that of a model, where a target takes them. */
    public ContextOutput withTarget(BinaryTarget newTarget, String modelName) {
        if (modelName.isEmpty()) {
            throw EngineException.invalidArgument("the name of the model is empty: context binaries need one");
        }
        return new ContextOutput(model, folder, modelName, embeds, prefix, tensors, newTarget, replaces);
    }

    /** The same, which replaces what stands there. */
    public ContextOutput replacing() {
        return new ContextOutput(model, folder, stem, embeds, prefix, tensors, target, true);
    }

    /** The same with its binaries where those of another output in this folder go, and the folder spelled as there. */
    ContextOutput beside(ContextOutput other) {
        Path file = other.requireModel().resolveSibling(requireModel().getFileName());
        return new ContextOutput(file, other.folder, other.stem, embeds, prefix, tensors, other.target, replaces);
    }

    ContextOutput withPrefix(String newPrefix) {
        return new ContextOutput(model, folder, stem, embeds, newPrefix, tensors, target, replaces);
    }

    static WriteOptions tensors(EpContextOptions options) {
        String file = options.externalInitializersFile();
        return file == null ? WriteOptions.inline() : WriteOptions.externalData(file, 0);
    }

    private static Path modelFile(EpContextOptions options, Model source) {
        Path wanted = options.filePath();
        return wanted == null ? besideSource(source) : wanted;
    }

    /** Where a context model goes by default: {@code <source>_ctx.onnx} beside its source. */
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

    private static boolean hasExtension(Path path) {
        Path name = path.getFileName();
        int dot = name == null ? -1 : name.toString().lastIndexOf('.');
        return dot > 0 && dot < name.toString().length() - 1;
    }

    private static String stemOf(Path model) {
        String name = model.getFileName().toString();
        String stem = name.substring(0, name.lastIndexOf('.'));
        return stem.endsWith(SUFFIX) && stem.length() > SUFFIX.length()
                ? stem.substring(0, stem.length() - SUFFIX.length())
                : stem;
    }

    /** Throws where nothing can be written so; to be asked before anything is compiled, and again before it is written. */
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

    /** Throws where what is to be written would take the place of what the source is read from. */
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

    /** Throws where something stands in the way: what somebody else wrote is not overwritten unless that is asked for. */
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

    /** The file that takes initializers, or null where none does. */
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

    /** The folder that a file lies in, by the one name that it has however it is spelled. */
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

    /** What a provider's binary is called. */
    String binaryName(String provider) {
        return stem + "_" + provider.replaceAll("[^A-Za-z0-9._-]", "_") + ".bin";
    }

    /** What a context node calls a provider's binary. */
    String reference(String provider) {
        return target == null ? nameOf(binary(provider)) : binaryName(provider);
    }

    /**
     * The file of a provider's binary. One that is left from before is replaced, unless it is all that there would be to see
     * of what was written before; nothing else is.
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

    /** What a context node calls a binary: its place as seen from the model's folder. */
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
