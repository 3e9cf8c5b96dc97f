package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.http.HttpFetcher;
import dev.millrace.models.http.PartialFile;
import dev.millrace.models.store.ObjectStore;
import dev.millrace.models.store.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Downloads of objects into a cache, which go on where they were cut. Facts of objects that a list has told are not asked for. */
final class StoreDownloads {
    private static final int BUFFER = 1 << 16;

    private final ObjectStore store;
    private final StoreCache cache;
    private final FetchOptions options;
    private final HttpFetcher.Pause pause;
    private final String label;
    private final Map<String, StoredObject> listed = new HashMap<>();

    /** @param label the beginning of the names of objects in messages */
    StoreDownloads(ObjectStore store, StoreCache cache, FetchOptions options, HttpFetcher.Pause pause, String label) {
        this.store = store;
        this.cache = cache;
        this.options = options;
        this.pause = pause;
        this.label = label;
    }

    String label(String key) {
        return label + "/" + key;
    }

    @Nullable
    StoredObject find(String key, @Nullable String version) throws IOException {
        StoredObject known = version == null ? listed.get(key) : null;
        return known == null ? store.find(key, version) : known;
    }

    /** Lists the keys below a prefix that is empty or ends with a slash. Markers of folders are left out. */
    List<String> list(String prefix) throws IOException {
        var keys = new ArrayList<String>();
        for (StoredObject each : store.list(prefix)) {
            if (!each.key().endsWith("/")) {
                RelativePath.check(each.key().substring(prefix.length()));
                listed.put(each.key(), each);
                keys.add(each.key());
            }
        }
        if (keys.isEmpty()) {
            throw new EngineException(
                    Status.NO_SUCH_FILE, label(prefix) + ": the bucket has no object below this name");
        }
        return keys;
    }

    /** Returns the content of an object, which is fetched if it is not there. */
    Path fetch(StoredObject object, @Nullable String sha256) throws IOException {
        String id =
                FileDigest.ofText(object.key() + "\n" + object.tag() + "\n" + object.version() + "\n" + object.size());
        Path blob = cache.blob(id);
        try (var _ = FetchLock.of(cache.lock(id))) {
            if (Files.isRegularFile(blob)) {
                if (sha256 != null) {
                    FileDigest.check(blob, label(object.key()), sha256);
                }
                return blob;
            }
            Files.createDirectories(Objects.requireNonNull(blob.getParent()));
            Path partial = blob.resolveSibling(id + ".incomplete");
            download(object, partial);
            try {
                if (sha256 == null) {
                    FileDigest.refusePointer(partial, label(object.key()));
                } else {
                    FileDigest.check(partial, label(object.key()), sha256);
                }
            } catch (EngineException e) {
                Files.deleteIfExists(partial);
                throw e;
            }
            Files.move(partial, blob, StandardCopyOption.ATOMIC_MOVE);
            return blob;
        }
    }

    private void download(StoredObject object, Path partial) throws IOException {
        var content = new PartialFile(
                partial,
                object.size(),
                options.largestFile(),
                (bytes, total) -> options.listener().onProgress(new FetchProgress(object.key(), bytes, total)));
        for (int attempt = 1; !content.isComplete() || !Files.exists(partial); attempt++) {
            try {
                append(object, content);
            } catch (InterruptedIOException e) {
                throw e;
            } catch (IOException e) {
                if (attempt >= options.attempts()) {
                    throw e;
                }
                pause(Duration.ofSeconds(1L << Math.min(attempt - 1, 5)));
            }
        }
    }

    private void append(StoredObject object, PartialFile content) throws IOException {
        long from = content.bytes();
        try (InputStream in = store.read(object, from);
                PartialFile.Writer out = content.writer(from, object.size() - from)) {
            byte[] buffer = new byte[BUFFER];
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                if (Thread.currentThread().isInterrupted()) {
                    throw cancelled(null);
                }
                out.write(List.of(ByteBuffer.wrap(buffer, 0, count)));
            }
            out.end();
        }
        if (!content.isComplete()) {
            throw new IOException("the store sent less than the " + object.size() + " bytes of " + label(object.key()));
        }
    }

    private void pause(Duration time) {
        try {
            pause.pause(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw cancelled(e);
        }
    }

    private static EngineException cancelled(@Nullable InterruptedException e) {
        return new EngineException(Status.CANCELLED, "the thread that downloads was interrupted", e);
    }
}
