package dev.millrace.epcontext;

import dev.millrace.graph.format.FileIdentity;
import dev.millrace.graph.format.FileMapping;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * What a file system tells of a file without reading it.
 *
 * @param path absolute, by which the file is found: links on it may lead elsewhere later, and what is beside the file is
 *     looked for beside the link
 * @param modified nanoseconds of the epoch
 * @param changed when content, times or names of the file were changed last, which nobody can set, in nanoseconds of the epoch; as
 *     {@code modified} where the system does not tell
 * @param key of the file that the path leads to in its file system, or where it lies where that has none
 */
public record FileState(Path path, long size, long modified, long changed, String key) {
    /** File systems that count whole seconds, or two of them, do not see a second change within one. */
    private static final long TICK = TimeUnit.SECONDS.toNanos(2);

    public static FileState of(Path file) throws IOException {
        FileIdentity now = FileIdentity.of(file);
        Object key = now.key();
        return new FileState(
                file.toAbsolutePath(),
                now.size(),
                now.modified().to(TimeUnit.NANOSECONDS),
                now.changed().to(TimeUnit.NANOSECONDS),
                key == null ? file.toRealPath().toString() : key.toString());
    }

    /** Whether the file was written so shortly before a time that a change after that time could look the same. */
    public boolean isYoungAt(long nanos) {
        return modified > nanos - TICK;
    }

    /** A digest of what the file holds now. */
    String digest() throws IOException {
        return HexFormat.of().formatHex(FileMapping.use(path, Chunks::sha256));
    }
}
