package dev.millrace.epcontext.cache;

import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.epcontext.binary.Disk;
import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.EngineException;
import dev.millrace.memory.file.OwnFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder that keeps compiled models for later sessions and other processes. It holds nothing that cannot be made
 * again and may be emptied at any time; the least recently used models are removed when it exceeds its limit.
 * Whoever can write to the folder decides what its users run. It therefore has to belong to its user, or to root;
 * a folder of another user, or one that others may write to, is not used, and {@link #checkOwn} says why. Files in
 * it are accessible to its user alone.
 */
public final class ContextCache {
    private static final long DEFAULT_BYTES = 4L << 30;

    private final Path folder;
    private final long maxBytes;

    private final boolean isShared;

    private ContextCache(Path folder, long maxBytes, boolean isShared) {
        this.folder = folder;
        this.maxBytes = maxBytes;
        this.isShared = isShared;
    }

    /** Returns a cache of at most 4 GB in a folder, which is created when it is first needed. */
    public static ContextCache in(Path folder) {
        return new ContextCache(Objects.requireNonNull(folder, "folder").toAbsolutePath(), DEFAULT_BYTES, false);
    }

    /** Returns this cache with another limit; the model published last stays even if it is larger. */
    public ContextCache withMaxBytes(long bytes) {
        if (bytes < 1) {
            throw EngineException.invalidArgument("maxBytes is " + bytes + "; it is at least 1");
        }
        return new ContextCache(folder, bytes, isShared);
    }

    /**
     * Returns this cache for a folder that others may write to, such as the volume of a container that belongs to a
     * group. Whoever may write to it, or to a folder above it, decides what its users run, and is trusted. A link or a
     * FIFO in place of a file is refused; somebody who exchanges the file between the check and the opening can make a
     * session wait without end.
     */
    public ContextCache shared() {
        return new ContextCache(folder, maxBytes, true);
    }

    /** Whether others may write to the folder, and are trusted. */
    public boolean isShared() {
        return isShared;
    }

    public Path folder() {
        return folder;
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** Returns the bytes of all entries. */
    public long bytes() throws IOException {
        return entries().stream().mapToLong(CacheEntry::bytes).sum();
    }

    /**
     * Throws if the folder belongs to another user, or if others may write to it or replace it. A folder that does not
     * exist yet is created for its user alone. Nothing is checked on a file system without owners, or for a
     * {@linkplain #shared shared} folder.
     *
     * @throws IOException with the reason, and with a remedy
     */
    public void checkOwn() throws IOException {
        try {
            if (!isShared) {
                OwnFiles.checkFolder(folder);
            }
        } catch (NoSuchFileException _) {
            // it will be made
        }
    }

    /**
     * Returns the entry of a model.
     *
     * @param model the source model
     * @param settings everything besides the model that decides the compiled form
     */
    public Kept kept(Path model, String settings) throws IOException {
        FileState state = FileState.of(model);
        String line = ContextTables.VERSION + " " + settings.replaceAll("[\\r\\n\\t]", " ");
        if (!CacheManifest.fits(state.path() + state.key())) {
            throw new IOException("a path with control characters is not kept in a cache: " + model);
        }
        return new Kept(new CacheEntry(folder.resolve(name(state.path() + "\n" + line)), isShared), line, state);
    }

    /**
     * Returns the 64-bit FNV-1a hash of an entry's identity as its name. Collisions do no harm,
     * because the manifest holds the identity.
     */
    private static String name(String identity) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : identity.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        return HexFormat.of().toHexDigits(hash);
    }

    private List<CacheEntry> entries() throws IOException {
        if (Files.notExists(folder)) {
            return List.of();
        }
        checkOwn();
        try (Stream<Path> folders = Files.list(folder)) {
            return folders.filter(path -> path.getFileName().toString().matches("\\p{XDigit}{16}"))
                    .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .map(path -> new CacheEntry(path, isShared))
                    .toList();
        }
    }

    /** Returns the cached models, the most recently used first. */
    public List<CachedModel> list() throws IOException {
        return entries().stream()
                .filter(entry -> entry.bytes() > 0)
                .map(CacheEntry::describe)
                .sorted(Comparator.comparing(CachedModel::used).reversed())
                .toList();
    }

    /**
     * Removes entries that are incomplete or damaged, and then the least recently used ones, until the rest has at most
     * {@code bytes} bytes. Entries that are being written stay.
     *
     * @return the number of removed entries
     */
    public int prune(long bytes) throws IOException {
        if (bytes < 0) {
            throw EngineException.invalidArgument("bytes is " + bytes + "; it is at least 0");
        }
        int gone = 0;
        for (CacheEntry entry : entries()) {
            if (entry.bytes() > 0 && !entry.describe().isUsable() && entry.removed()) {
                gone++;
            }
        }
        return gone + shrink(null, bytes);
    }

    private int shrink(@Nullable CacheEntry last, long limit) throws IOException {
        var entries = new ArrayList<>(entries());
        long sum = entries.stream().mapToLong(CacheEntry::bytes).sum();
        entries.removeIf(
                entry -> entry.bytes() == 0 || last != null && entry.folder().equals(last.folder()));
        entries.sort(Comparator.comparing(CacheEntry::used));
        int gone = 0;
        for (CacheEntry entry : entries) {
            if (sum <= limit) {
                break;
            }
            long bytes = entry.bytes();
            if (entry.removed()) {
                sum -= bytes;
                gone++;
            }
        }
        return gone;
    }

    /** The entry of one model with one choice of settings. */
    public final class Kept {
        private final CacheEntry entry;
        private final String settings;
        private final FileState source;
        private final long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());

        private Kept(CacheEntry entry, String settings, FileState source) {
            this.entry = entry;
            this.settings = settings;
            this.source = source;
        }

        /** The path of the context model, whether it exists or not. */
        public Path model() {
            return entry.model();
        }

        /** Whether there is a context model of the sources in their present state. */
        public boolean isFresh() {
            return entry.isFresh(settings);
        }

        /** Records a use of the context model. */
        public void used() {
            entry.touch();
        }

        /**
         * Runs the creation of the context model, in one process and one thread at a time.
         *
         * @param <T> the type of its result
         */
        public <T> T make(Maker<T> maker) throws IOException {
            OwnFiles.createFolders(folder);
            checkOwn();
            try (CacheEntry.Turn turn = entry.turn()) {
                return maker.make(new Making(turn));
            }
        }

        /** The exclusive right to write the context model. */
        public final class Making {
            private final CacheEntry.Turn turn;

            private Making(CacheEntry.Turn turn) {
                this.turn = turn;
            }

            /** Removes the previous context model. */
            public void begin() throws IOException {
                turn.clear();
            }

            /**
             * Records that the context model is complete.
             *
             * @param data the files of the source's external data, with their states before they were read
             */
            public void end(List<FileState> data) throws IOException {
                var sources = new ArrayList<CacheManifest.Source>();
                sources.add(new CacheManifest.Source(source, source.digest()));
                for (FileState each : data) {
                    sources.add(new CacheManifest.Source(each, each.digest()));
                }
                new CacheManifest(CacheManifest.describe(model()), settings, now, sources)
                        .write(entry.folder(), Disk.SYSTEM);
                try {
                    shrink(entry, maxBytes);
                } catch (IOException e) {
                    System.getLogger(ContextCache.class.getName())
                            .log(System.Logger.Level.WARNING, "cannot tidy " + folder, e);
                }
            }
        }
    }

    /** The creation of a context model, under the entry's lock. */
    @FunctionalInterface
    public interface Maker<T> {
        T make(Kept.Making making) throws IOException;
    }
}
