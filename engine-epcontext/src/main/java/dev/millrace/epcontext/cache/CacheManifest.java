package dev.millrace.epcontext.cache;

import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.Disk;
import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.memory.file.OwnFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The description of what a cache entry was made from. It is written as the entry's last file, so that an entry that
 * has one is complete. The file is text, whose last line holds the checksum of the others; a text that does not look as
 * this version writes it counts as no manifest.
 *
 * @param model the size and the checksum of the context model, which holds the digests of the binaries beside it
 * @param settings the settings with which the model was compiled
 * @param made the time at which the sources' states were read, in nanoseconds of the epoch
 */
public record CacheManifest(String model, String settings, long made, List<Source> sources) {
    static final String NAME = "manifest";

    private static final String FIRST = "millrace context cache 2";
    private static final String LAST = "end ";
    /** The number of lines before those of the sources: format, context model, settings, time. */
    private static final int HEAD = 4;

    private static final int FIELDS = 6;
    /**
     * The limit of a manifest's size, more than any that is written: one line for each file that a model is read from.
     */
    private static final int MOST_BYTES = 1 << 24;

    public CacheManifest {
        sources = List.copyOf(sources);
    }

    /** A file that the model was read from: the model's own first, then its external data. */
    public record Source(FileState state, String digest) {
        /** Whether the file is unchanged; its content is read only if its state does not prove it. */
        boolean isAsAt(long made) {
            return now(made) != null;
        }

        /** Returns this source with its present state, or null if its content has changed. */
        @Nullable
        Source now(long made) {
            try {
                FileState now = FileState.of(state.path());
                if (now.equals(state) && !state.isYoungAt(made)) {
                    return this;
                }
                return now.size() == state.size() && now.digest().equals(digest) ? new Source(now, digest) : null;
            } catch (IOException _) {
                return null;
            }
        }
    }

    /**
     * Returns the manifest as it would be written now, or null if a source or the settings have changed. It is this
     * instance if the states of all sources prove that they are unchanged, and another one if their content had to be
     * read for that, so that the next reader need not.
     *
     * @param time the present time, in nanoseconds of the epoch
     */
    @Nullable
    CacheManifest today(String wanted, long time) {
        if (!settings.equals(wanted)) {
            return null;
        }
        var now = new ArrayList<Source>();
        for (Source source : sources) {
            Source each = source.now(made);
            if (each == null) {
                return null;
            }
            now.add(each);
        }
        boolean isToldByStates = now.equals(sources) && sources.stream().noneMatch(each -> each.state.isYoungAt(made));
        return isToldByStates ? this : new CacheManifest(model, settings, time, now);
    }

    /** Whether the states of its sources suffice to prove that they are unchanged. */
    boolean isLasting() {
        return sources.stream().noneMatch(source -> source.state.isYoungAt(made));
    }

    /** Returns the manifest in an entry's folder, or null if there is no valid one. */
    public static @Nullable CacheManifest read(Path folder) {
        try {
            String text = text(folder.resolve(NAME));
            int last = text.lastIndexOf(LAST);
            return last > 0 && text.substring(last).equals(end(text.substring(0, last)))
                    ? parse(text.substring(0, last).split("\n"))
                    : null;
        } catch (IOException | IllegalArgumentException _) {
            // there is none, it belongs to another user, or it is another version's
            return null;
        }
    }

    private static String text(Path file) throws IOException {
        if (!OwnFiles.isFile(file) || Files.size(file) > MOST_BYTES) {
            return "";
        }
        return Files.readString(file);
    }

    private static @Nullable CacheManifest parse(String[] lines) {
        if (lines.length < HEAD || !lines[0].equals(FIRST)) {
            return null;
        }
        var sources = new ArrayList<Source>();
        for (int i = HEAD; i < lines.length; i++) {
            sources.add(source(lines[i]));
        }
        return new CacheManifest(lines[1], lines[2], Long.parseLong(lines[3]), sources);
    }

    private static String end(String text) {
        int checksum = Chunks.crc32c(MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8)));
        return LAST + HexFormat.of().toHexDigits(checksum) + "\n";
    }

    /** Returns a manifest's description of a context model: its size and CRC-32C. */
    static String describe(Path model) throws IOException {
        return FileMapping.use(
                model, content -> content.byteSize() + " " + HexFormat.of().toHexDigits(Chunks.crc32c(content)));
    }

    private static Source source(String line) {
        String[] fields = line.split("\t", FIELDS);
        if (fields.length < FIELDS) {
            throw new IllegalArgumentException(line);
        }
        var state = new FileState(
                Path.of(fields[5]),
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                fields[3]);
        return new Source(state, fields[4]);
    }

    /** Writes the manifest to an entry's folder atomically. */
    public void write(Path folder, Disk disk) throws IOException {
        var text = new StringBuilder(FIRST)
                .append('\n')
                .append(model)
                .append('\n')
                .append(settings)
                .append('\n')
                .append(made)
                .append('\n');
        for (Source source : sources) {
            FileState state = source.state();
            text.append(state.size()).append('\t').append(state.modified()).append('\t');
            text.append(state.changed()).append('\t');
            text.append(state.key()).append('\t').append(source.digest()).append('\t');
            text.append(state.path()).append('\n');
        }
        Path unfinished = folder.resolve(NAME + "-" + UUID.randomUUID());
        try {
            write(text + end(text.toString()), unfinished);
            disk.forceFile(unfinished);
            disk.replace(unfinished, folder.resolve(NAME));
            disk.forceFolder(folder);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    private static void write(String text, Path file) throws IOException {
        try (OutputStream to = Channels.newOutputStream(OwnFiles.create(file, StandardOpenOption.CREATE_NEW))) {
            to.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Whether a text can be a field of a line. */
    static boolean fits(String text) {
        return text.chars().noneMatch(c -> c == '\n' || c == '\r' || c == '\t');
    }
}
