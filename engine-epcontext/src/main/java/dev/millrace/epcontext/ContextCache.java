package dev.millrace.epcontext;

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
 * A folder that keeps what was compiled, model by model, for the sessions after this one and for other processes. It holds
 * nothing that cannot be made again and may be emptied at any time; what was used least lately goes where it grows beyond
 * its limit. Who can write to the folder decides what its users run. So it belongs to one user, or to root, and a folder of
 * somebody else or one that others may write is not used: {@link #checkOwn} says why. What is made in it is for its user alone.
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

    /** A cache of at most 4 GB in a folder, which is made when it is first needed. */
    public static ContextCache in(Path folder) {
        return new ContextCache(Objects.requireNonNull(folder, "folder").toAbsolutePath(), DEFAULT_BYTES, false);
    }

    /** The same with another limit; what was published last stays even where it is larger. */
    public ContextCache withMaxBytes(long bytes) {
        if (bytes < 1) {
            throw EngineException.invalidArgument("maxBytes is " + bytes + "; it is at least 1");
        }
        return new ContextCache(folder, bytes, isShared);
    }

    /**
     * The same in a folder that others may write, such as the volume of a container that belongs to a group: whoever may write it, or
     * a folder above it, decides what its users run, and is trusted. A link or a FIFO that stands there in place of a file is refused;
     * who exchanges the file between the look and its opening can have a session wait without end.
     */
    public ContextCache shared() {
        return new ContextCache(folder, maxBytes, true);
    }

    /** Whether others may write the folder, and are trusted. */
    public boolean isShared() {
        return isShared;
    }

    public Path folder() {
        return folder;
    }

    public long maxBytes() {
        return maxBytes;
    }

    /** The bytes of all that is kept. */
    public long bytes() throws IOException {
        return entries().stream().mapToLong(CacheEntry::bytes).sum();
    }

    /**
     * Throws where the folder belongs to another user, or where others may write it or put another in its place. One that is not
     * there yet is made for its user alone. A file system that does not tell owners is not asked, and neither is one for a
     * {@linkplain #shared shared} folder.
     *
     * @throws IOException with the reason, and with what to do
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
     * What is kept of a model.
     *
     * @param model the source
     * @param settings all besides the model that decides what is compiled of it
     */
    public Kept kept(Path model, String settings) throws IOException {
        FileState state = FileState.of(model);
        String line = ContextTables.VERSION + " " + settings.replaceAll("[\\r\\n\\t]", " ");
        if (!CacheManifest.fits(state.path() + state.key())) {
            throw new IOException("a path with control characters is not kept in a cache: " + model);
        }
        return new Kept(new CacheEntry(folder.resolve(name(state.path() + "\n" + line)), isShared), line, state);
    }

    /** Only a name: whose entry it is says the manifest. */
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

    /** What there is, that used last first. */
    public List<CachedModel> list() throws IOException {
        return entries().stream()
                .filter(entry -> entry.bytes() > 0)
                .map(CacheEntry::describe)
                .sorted(Comparator.comparing(CachedModel::used).reversed())
                .toList();
    }

    /**
     * Takes away what is not whole, or damaged, and then what was used least lately, until the rest has at most so many
     * bytes. What somebody is making stays.
     *
     * @return how many entries went
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

    /** One model with one choice of settings. */
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

        /** Where the context model is, or goes. */
        public Path model() {
            return entry.model();
        }

        /** Whether there is a context model of the sources as they are now. */
        public boolean isFresh() {
            return entry.isFresh(settings);
        }

        /** Says that the context model was used. */
        public void used() {
            entry.touch();
        }

        /**
         * Makes the context model, one process and one thread at a time.
         *
         * @param <T> what comes of it
         */
        public <T> T make(Maker<T> maker) throws IOException {
            OwnFiles.createFolders(folder);
            checkOwn();
            try (CacheEntry.Turn turn = entry.turn()) {
                return maker.make(new Making(turn));
            }
        }

        /** The right to write the context model. */
        public final class Making {
            private final CacheEntry.Turn turn;

            private Making(CacheEntry.Turn turn) {
                this.turn = turn;
            }

            /** Makes room for a new context model. */
            public void begin() throws IOException {
                turn.clear();
            }

            /**
             * Says that the context model is whole now.
             *
             * @param data the files beside the source, as they were before they were read
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

    /** What is done while nobody else makes the same context model. */
    @FunctionalInterface
    public interface Maker<T> {
        T make(Kept.Making making) throws IOException;
    }
}
