package dev.millrace.epcontext.binary;

import dev.millrace.graph.format.FileIdentity;
import dev.millrace.graph.format.FileMapping;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

/**
 * The state of a file that a file system reports without reading it.
 *
 * @param path the absolute path by which the file is found: links on it may lead elsewhere later, and external
 *     data is looked for beside the link
 * @param modified the modification time in nanoseconds of the epoch
 * @param changed the time of the last change of content, times or names (Unix ctime), which nobody can set, in
 *     nanoseconds of the epoch; equal to {@code modified} on a system without it
 * @param key the file system's key of the file that the path leads to, or its real path if there is no key
 */
public record FileState(Path path, long size, long modified, long changed, String key) {
    /**
     * The coarsest resolution of file times: file systems that count whole seconds, or two of them, do
     * not see a second change within one.
     */
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

    /**
     * Whether the file was written so shortly before a time that a change after that time could leave the same state.
     */
    public boolean isYoungAt(long nanos) {
        return modified > nanos - TICK;
    }

    /** Returns a digest of the file's present content. */
    public String digest() throws IOException {
        return HexFormat.of().formatHex(FileMapping.use(path, Chunks::sha256));
    }
}
