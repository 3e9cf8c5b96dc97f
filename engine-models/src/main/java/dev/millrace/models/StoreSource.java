package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.models.ModelName.NamedFile;
import dev.millrace.models.http.HttpFetcher;
import dev.millrace.models.store.ObjectStore;
import dev.millrace.models.store.StoreSettings;
import dev.millrace.models.store.StoredObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A model, or a folder, in an object store. */
final class StoreSource {
    private static final System.Logger LOG = System.getLogger(StoreSource.class.getName());
    private static final Pattern NAME = Pattern.compile("([a-z0-9]+)://([\\w.-]{1,255})(?:/(.+))?");
    private static final String PACKAGE = "manifest.json";

    private final ModelName name;
    private final FetchOptions options;
    private final HttpFetcher.Pause pause;
    private final String bucket;
    private final String prefix;
    private final StoreCache cache;
    /** The contents that the name leads to, by their paths below the prefix. */
    private final SortedMap<String, Path> contents = new TreeMap<>();

    StoreSource(ModelName name, FetchOptions options, HttpFetcher.Pause pause) {
        Matcher parts = NAME.matcher(name.source());
        if (!parts.matches()) {
            throw EngineException.invalidArgument(
                    "'" + name + "' names no object; names are like s3://BUCKET/KEY, or s3://BUCKET/FOLDER/");
        }
        this.name = name;
        this.options = options;
        this.pause = pause;
        bucket = parts.group(2);
        prefix = parts.group(3) == null ? "" : RelativePath.check(parts.group(3)) + "/";
        cache = new StoreCache(options.folder().resolve("objects").resolve(parts.group(1) + "+" + bucket));
    }

    private interface Use<T> {
        T of(StoreDownloads store) throws IOException;
    }

    private <T> T use(Use<T> use) throws IOException {
        try (ObjectStore store = ObjectStores.require(name.source())
                .open(bucket, new StoreSettings(options.storeSettings(), options.patience()))) {
            return use.of(new StoreDownloads(store, cache, options, pause, scheme() + bucket));
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private String scheme() {
        return name.source().substring(0, name.source().indexOf("://") + 3);
    }

    /**
     * Returns the model, whose objects are fetched if they are not there or have changed.
     *
     * @param isFile whether the name is that of an object rather than a folder
     * @param withFolder whether the tokenizer and the configurations beside an object are fetched, too
     */
    FetchedModel fetch(boolean isFile, boolean withFolder) {
        String asked = name + (withFolder ? " and its folder" : "");
        try {
            FetchedModel kept = cache.kept(asked);
            boolean isFixed = isFile && name.files().stream().allMatch(each -> each.version() != null);
            if (options.offline() || (isFixed && kept != null)) {
                return keptOf(kept);
            }
            try {
                FetchedModel found = use(store -> isFile ? file(store, withFolder) : folder(store));
                cache.keep(asked, found);
                return found;
            } catch (IOException e) {
                return unreachable(kept, e);
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, name + " cannot be fetched: " + e.getMessage(), e);
        }
    }

    private FetchedModel keptOf(@Nullable FetchedModel kept) throws IOException {
        if (kept == null) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    name + " was not fetched before, and the option offline forbids to fetch it now");
        }
        String sha256 = name.files().isEmpty() ? null : name.files().getFirst().sha256();
        if (sha256 != null) {
            FileDigest.check(kept.file(), name.toString(), sha256);
        }
        return kept;
    }

    private FetchedModel unreachable(@Nullable FetchedModel kept, IOException failure) throws IOException {
        if (kept == null) {
            throw failure;
        }
        LOG.log(System.Logger.Level.WARNING, "{0} is used as it was found before: {1}", name, failure.getMessage());
        return keptOf(kept);
    }

    private FetchedModel file(StoreDownloads store, boolean withFolder) throws IOException {
        for (NamedFile each : name.files()) {
            if (add(store, each) == null) {
                throw new EngineException(
                        Status.NO_SUCH_FILE,
                        store.label(prefix + each.path()) + ": the bucket has no such object"
                                + (each.version() == null ? "" : " of this version"));
            }
        }
        String path = name.files().getFirst().path();
        String folder = FolderChoice.folderOf(path);
        if (withFolder) {
            choice(store, folder).fetchBeside();
        }
        Path snapshot = cache.snapshot(contents);
        return new FetchedModel(snapshot.resolve(path), snapshot.resolve(withFolder ? folder : ""));
    }

    /** Fetches an object, and the external data of a model; returns null if the bucket has no such object. */
    private @Nullable Path add(StoreDownloads store, NamedFile file) throws IOException {
        Path known = contents.get(file.path());
        if (known != null) {
            return known;
        }
        StoredObject object = store.find(prefix + file.path(), file.version());
        if (object == null) {
            return null;
        }
        Path blob = store.fetch(object, file.sha256());
        contents.put(file.path(), blob);
        if (file.path().endsWith(ModelFiles.MODEL)) {
            for (String location : Models.externalLocations(blob)) {
                String path = RelativePath.beside(file.path(), location);
                if (add(store, new NamedFile(path, null)) == null) {
                    throw new EngineException(
                            Status.NO_SUCH_FILE,
                            store.label(prefix + file.path()) + " has external data in '" + location
                                    + "', and the bucket has no such object");
                }
            }
        }
        return blob;
    }

    private FolderChoice choice(StoreDownloads store, String folder) {
        return new FolderChoice(
                path -> {
                    try {
                        return add(store, new NamedFile(path, null));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                name.source(),
                folder);
    }

    /** Fetches the model of a folder: a package whole, else a model with a usual name, else the only one. */
    private FetchedModel folder(StoreDownloads store) throws IOException {
        String inner = name.files().isEmpty() ? "" : name.files().getFirst().path() + "/";
        List<String> paths = store.list(prefix + inner).stream()
                .map(each -> each.substring(prefix.length()))
                .toList();
        if (paths.contains(inner + PACKAGE)) {
            for (String each : paths) {
                add(store, new NamedFile(each, null));
            }
            Path folder = cache.snapshot(contents).resolve(inner);
            return new FetchedModel(folder, folder);
        }
        List<String> models =
                paths.stream().filter(each -> each.endsWith(ModelFiles.MODEL)).toList();
        FolderChoice choice = choice(store, inner.substring(0, Math.max(0, inner.length() - 1)));
        List<String> wanted = models.size() == 1 ? models : choice.models();
        for (String each : wanted) {
            add(store, new NamedFile(each, null));
        }
        choice.fetchBeside();
        Path snapshot = cache.snapshot(contents);
        return new FetchedModel(snapshot.resolve(wanted.getFirst()), snapshot.resolve(inner));
    }

    /** Returns a folder that has all objects below the name, and that the next call brings up to date. */
    Path mirror() {
        String inner =
                prefix + (name.files().isEmpty() ? "" : name.files().getFirst().path() + "/");
        Path folder = cache.mirror(inner);
        try {
            if (!options.offline()) {
                try {
                    use(store -> update(folder, inner, store));
                } catch (IOException e) {
                    if (!Files.isDirectory(folder)) {
                        throw e;
                    }
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} is used as it was found before: {1}",
                            name,
                            e.getMessage());
                }
            } else if (!Files.isDirectory(folder)) {
                throw new EngineException(
                        Status.NO_SUCH_FILE,
                        name + " was not fetched before, and the option offline forbids to fetch it now");
            }
            return folder;
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, name + " cannot be fetched: " + e.getMessage(), e);
        }
    }

    private Path update(Path folder, String inner, StoreDownloads store) throws IOException {
        var blobs = new TreeMap<Path, Path>();
        for (String key : store.list(inner)) {
            StoredObject object = store.find(key, null);
            if (object != null) {
                blobs.put(folder.resolve(key.substring(inner.length())), store.fetch(object, null));
            }
        }
        try (var _ = FetchLock.of(cache.lock(String.valueOf(folder.getFileName())))) {
            Files.createDirectories(folder);
            for (var each : blobs.entrySet()) {
                StoreCache.show(each.getValue(), each.getKey());
            }
            StoreCache.retain(folder, new HashSet<>(blobs.keySet()));
        }
        return folder;
    }
}
