package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder of one model, compiled with one choice of settings, in a {@link ContextCache}. */
final class CacheEntry {
    private static final String MODEL = "model.onnx";
    private static final String LOCK = "lock";
    /** Held in this process, where a lock on a file would be refused rather than waited for. */
    private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private final Path folder;

    CacheEntry(Path folder) {
        this.folder = folder;
    }

    Path folder() {
        return folder;
    }

    Path model() {
        return folder.resolve(MODEL);
    }

    /** Whether there is a whole context model of the sources as they are now. */
    boolean isFresh(String settings) {
        CacheManifest manifest = CacheManifest.read(folder);
        try {
            return manifest != null
                    && manifest.holds(settings)
                    && manifest.model().equals(CacheManifest.describe(model()));
        } catch (IOException _) {
            return false;
        }
    }

    /** Lets the entry be the last one used. */
    void touch() {
        try {
            Files.setLastModifiedTime(folder.resolve(CacheManifest.NAME), FileTime.from(Instant.now()));
        } catch (IOException e) {
            log().log(System.Logger.Level.DEBUG, "cannot touch " + folder, e);
        }
    }

    /** Waits until nobody else, in this process or another, makes the entry. */
    Turn turn() throws IOException {
        ReentrantLock lock = lock();
        lock.lock();
        try {
            Files.createDirectories(folder);
            FileChannel channel = openLock();
            try {
                channel.lock();
            } catch (IOException e) {
                // not every file system has locks: two processes may do the same work then
                log().log(System.Logger.Level.DEBUG, "cannot lock " + folder, e);
            }
            return new Turn(lock, channel);
        } catch (IOException | RuntimeException e) {
            lock.unlock();
            throw e;
        }
    }

    /** The same, or null where somebody is at it. */
    private @Nullable Turn turnIfFree() throws IOException {
        ReentrantLock lock = lock();
        if (!lock.tryLock()) {
            return null;
        }
        FileChannel channel = null;
        try {
            channel = openLock();
            if (channel.tryLock() != null) {
                return new Turn(lock, channel);
            }
        } catch (IOException | RuntimeException e) {
            close(channel);
            lock.unlock();
            throw e;
        }
        close(channel);
        lock.unlock();
        return null;
    }

    private ReentrantLock lock() {
        return LOCKS.computeIfAbsent(folder, key -> new ReentrantLock());
    }

    private FileChannel openLock() throws IOException {
        return FileChannel.open(folder.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private void close(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            log().log(System.Logger.Level.WARNING, "cannot unlock " + folder, e);
        }
    }

    /** The right to make the entry. */
    final class Turn implements AutoCloseable {
        private final ReentrantLock lock;
        private final FileChannel channel;

        private Turn(ReentrantLock lock, FileChannel channel) {
            this.lock = lock;
            this.channel = channel;
        }

        /** Takes away what there is; the manifest first, so that nobody takes the rest for whole. */
        void clear() throws IOException {
            Files.deleteIfExists(folder.resolve(CacheManifest.NAME));
            for (Path file : files()) {
                Files.deleteIfExists(file);
            }
        }

        @Override
        public void close() {
            CacheEntry.this.close(channel);
            lock.unlock();
        }
    }

    /** All but the lock, which others may wait for. */
    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> Files.isRegularFile(file) && !file.endsWith(LOCK))
                    .toList();
        }
    }

    long bytes() {
        try {
            long sum = 0;
            for (Path file : files()) {
                sum += Files.size(file);
            }
            return sum;
        } catch (IOException _) {
            // somebody is taking it away
            return 0;
        }
    }

    /** When it was used last; an entry that is not whole was used never. */
    Instant used() {
        try {
            return Files.getLastModifiedTime(folder.resolve(CacheManifest.NAME)).toInstant();
        } catch (IOException _) {
            return Instant.EPOCH;
        }
    }

    /** What a reader who takes nothing on trust finds in it. */
    CachedModel describe() {
        CacheManifest manifest = CacheManifest.read(folder);
        if (manifest == null) {
            return new CachedModel(folder, "", "", bytes(), used(), "it is not whole");
        }
        Path source = manifest.sources().getFirst().state().path();
        return new CachedModel(folder, source.toString(), manifest.settings(), bytes(), used(), trouble(manifest));
    }

    private String trouble(CacheManifest manifest) {
        try {
            if (!manifest.model().equals(CacheManifest.describe(model()))) {
                return "its context model is not the one that was written";
            }
            if (!manifest.sources().stream().allMatch(source -> source.isAsAt(manifest.made()))) {
                return "its source has changed, or is gone";
            }
            return ContextInfo.of(model()).binaries().stream()
                    .map(ContextInfo.Binary::trouble)
                    .filter(trouble -> !trouble.isEmpty())
                    .findFirst()
                    .orElse("");
        } catch (IOException | EngineException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Empties the entry, if nobody is at it. */
    boolean removed() {
        try (Turn turn = turnIfFree()) {
            if (turn == null) {
                return false;
            }
            turn.clear();
            return true;
        } catch (IOException e) {
            log().log(System.Logger.Level.WARNING, "cannot remove " + folder, e);
            return false;
        }
    }

    /** Looked for when there is something to log: to find it takes as long as to open a small model. */
    private static System.Logger log() {
        return System.getLogger(CacheEntry.class.getName());
    }
}
