package dev.millrace.epcontext;

import dev.millrace.graph.format.FileMapping;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Says what an entry of a cache was made of: the last file of an entry to be written, so that an entry that has one is
 * whole. A text of lines, the last of which tells the checksum of the others; what does not look like one that this
 * version writes counts as none.
 *
 * @param model the size and the checksum of the context model, which says of the binary beside it what that holds
 * @param settings with which the model was compiled
 * @param made when the sources were looked at, in nanoseconds of the epoch
 */
record CacheManifest(String model, String settings, long made, List<Source> sources) {
    static final String NAME = "manifest";

    private static final String FIRST = "millrace context cache 1";
    private static final String LAST = "end ";
    /** The first, the context model's, the settings, and the time. */
    private static final int HEAD = 4;

    private static final int FIELDS = 5;

    CacheManifest {
        sources = List.copyOf(sources);
    }

    /** A file that the model was read from: the model's own first, then its external data. */
    record Source(FileState state, String digest) {
        /** Whether the file is still what it was; it is read only where its state does not tell. */
        boolean isAsAt(long made) {
            try {
                FileState now = FileState.of(state.path());
                return now.equals(state) && !state.isYoungAt(made)
                        || now.size() == state.size() && now.digest().equals(digest);
            } catch (IOException _) {
                return false;
            }
        }
    }

    /** Whether an entry made so would be made the same today. */
    boolean holds(String wanted) {
        return settings.equals(wanted) && sources.stream().allMatch(source -> source.isAsAt(made));
    }

    /** What stands in an entry's folder, or null where nothing of use does. */
    static @Nullable CacheManifest read(Path folder) {
        try {
            String text = Files.readString(folder.resolve(NAME));
            int last = text.lastIndexOf(LAST);
            return last > 0 && text.substring(last).equals(end(text.substring(0, last)))
                    ? parse(text.substring(0, last).split("\n"))
                    : null;
        } catch (IOException | IllegalArgumentException _) {
            // there is none, it is not ours to read, or it is another version's
            return null;
        }
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

    /** What a manifest says of a context model. */
    static String describe(Path model) throws IOException {
        return FileMapping.use(
                model, content -> content.byteSize() + " " + HexFormat.of().toHexDigits(Chunks.crc32c(content)));
    }

    private static Source source(String line) {
        String[] fields = line.split("\t", FIELDS);
        if (fields.length < FIELDS) {
            throw new IllegalArgumentException(line);
        }
        var state = new FileState(Path.of(fields[4]), Long.parseLong(fields[0]), Long.parseLong(fields[1]), fields[2]);
        return new Source(state, fields[3]);
    }

    /** Writes it to an entry's folder, whole or not at all. */
    void write(Path folder, Disk disk) throws IOException {
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
            text.append(state.key()).append('\t').append(source.digest()).append('\t');
            text.append(state.path()).append('\n');
        }
        Path unfinished = folder.resolve(NAME + "-" + UUID.randomUUID());
        try {
            Files.writeString(unfinished, text + end(text.toString()));
            disk.forceFile(unfinished);
            disk.replace(unfinished, folder.resolve(NAME));
            disk.forceFolder(folder);
        } finally {
            Files.deleteIfExists(unfinished);
        }
    }

    /** Whether a text can stand in a line. */
    static boolean fits(String text) {
        return text.chars().noneMatch(c -> c == '\n' || c == '\r' || c == '\t');
    }
}
