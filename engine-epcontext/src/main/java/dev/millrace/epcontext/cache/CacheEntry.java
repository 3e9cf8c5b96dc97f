package dev.millrace.epcontext.cache;

import dev.millrace.epcontext.ContextInfo;
import dev.millrace.epcontext.binary.Disk;
import dev.millrace.graph.EngineException;
import dev.millrace.memory.file.OwnFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The folder in a {@link ContextCache} of one model, compiled with one choice of settings. */
final class CacheEntry {
    private static final String MODEL = "model.onnx";
    private static final String LOCK = "lock";
    /** The names of an entry's files: no others are removed. */
    private static final Pattern MADE = Pattern.compile("model\\.onnx|model_[A-Za-z0-9._-]+\\.bin|" + CacheManifest.NAME
            + "(-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12})?");
    /**
     * The locks of entries within this process, because a second file lock of one process is
     * refused rather than waited for.
     */
    private static final Map<Path, ReentrantLock> LOCKS = new ConcurrentHashMap<>();

    private final Path folder;
    /** Whether others may write to the folder. */
    private final boolean isShared;
    /** A manifest whose sources had to be read, and the one that is to replace it. */
    private volatile @Nullable CacheManifest outdated;

    private volatile @Nullable CacheManifest renewed;

    CacheEntry(Path folder, boolean isShared) {
        this.folder = folder;
        this.isShared = isShared;
    }

    Path folder() {
        return folder;
    }

    Path model() {
        return folder.resolve(MODEL);
    }

    private void checkFolder() throws IOException {
        if (isShared) {
            OwnFiles.requireFolder(folder);
        } else {
            OwnFiles.checkInner(folder);
        }
    }

    /** Whether there is a complete context model of the sources in their present state. */
    boolean isFresh(String settings) {
        try {
            checkFolder();
            CacheManifest manifest = CacheManifest.read(folder);
            long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
            CacheManifest today = manifest == null ? null : manifest.today(settings, now);
            outdated = today == manifest ? null : manifest;
            renewed = today;
            return manifest != null
                    && today != null
                    && OwnFiles.isFile(model())
                    && manifest.model().equals(CacheManifest.describe(model()));
        } catch (IOException _) {
            return false;
        }
    }

    /** Marks the entry as the last one used. */
    void touch() {
        try {
            if (outdated != null) {
                renew();
            }
            Files.setLastModifiedTime(folder.resolve(CacheManifest.NAME), FileTime.from(Instant.now()));
        } catch (IOException e) {
            log().log(System.Logger.Level.DEBUG, "cannot touch " + folder, e);
        }
    }

    /** Writes the present states of the sources, unless another process or thread has the entry locked. */
    private void renew() throws IOException {
        CacheManifest manifest = renewed;
        if (manifest == null || !manifest.isLasting()) {
            return;
        }
        try (Turn turn = turnIfFree()) {
            if (turn != null && Objects.equals(outdated, CacheManifest.read(folder))) {
                manifest.write(folder, Disk.SYSTEM);
            }
        }
    }

    /** Locks the entry against other threads and processes, waiting as long as needed. */
    Turn turn() throws IOException {
        ReentrantLock lock = lock();
        lock.lock();
        try {
            OwnFiles.createFolders(folder);
            checkFolder();
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

    /** Locks the entry if it is free; returns null otherwise. */
    private @Nullable Turn turnIfFree() throws IOException {
        ReentrantLock lock = lock();
        if (!lock.tryLock()) {
            return null;
        }
        FileChannel channel = null;
        try {
            checkFolder();
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
        Path lock = folder.resolve(LOCK);
        OwnFiles.isFile(lock);
        return OwnFiles.create(lock, StandardOpenOption.CREATE);
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

    /** The exclusive right to write the entry. */
    final class Turn implements AutoCloseable {
        private final ReentrantLock lock;
        private final FileChannel channel;

        private Turn(ReentrantLock lock, FileChannel channel) {
            this.lock = lock;
            this.channel = channel;
        }

        /**
         * Removes the entry's files, the manifest first, so that no reader takes the rest for complete. A link in the
         * place of a file is removed, but not its target.
         */
        void clear() throws IOException {
            Files.deleteIfExists(folder.resolve(CacheManifest.NAME));
            for (Path name : made()) {
                Files.deleteIfExists(name);
            }
        }

        @Override
        public void close() {
            CacheEntry.this.close(channel);
            lock.unlock();
        }
    }

    /** Returns the entry's files except the lock, which others may wait for. */
    private List<Path> made() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(
                            file -> MADE.matcher(file.getFileName().toString()).matches())
                    .filter(file -> !Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }
    }

    long bytes() {
        try {
            long sum = 0;
            for (Path file : made()) {
                sum += Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) ? Files.size(file) : 0;
            }
            return sum;
        } catch (IOException _) {
            // another process is removing it
            return 0;
        }
    }

    /** Returns the time of the last use; an incomplete entry counts as never used. */
    Instant used() {
        try {
            return Files.getLastModifiedTime(folder.resolve(CacheManifest.NAME)).toInstant();
        } catch (IOException _) {
            return Instant.EPOCH;
        }
    }

    /** Describes the entry after checking everything in it. */
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

    /** Removes the entry's files unless it is locked; returns whether they were removed. */
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

    /**
     * Returns the logger, which is looked up only when there is something to log: finding it
     * takes as long as opening a small model.
     */
    private static System.Logger log() {
        return System.getLogger(CacheEntry.class.getName());
    }
}
