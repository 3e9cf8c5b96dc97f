package dev.millrace.graph.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of the file at a path. It differs once the file is replaced or written to.
 *
 * @param isFile whether it is a regular file, and no folder, device or pipe
 * @param key the operating system's identifier of the file, such as device and inode, or null where there is none
 * @param changed when content, times or names were changed last, which nobody can set; {@code modified} where the
 *     system does not tell
 */
public record FileIdentity(
        Path path, boolean isFile, @Nullable Object key, long size, FileTime modified, FileTime changed) {
    private static final String UNIX = "unix";

    /** Reads the current state of the file at {@code path}. */
    public static FileIdentity of(Path path) throws IOException {
        return path.getFileSystem().supportedFileAttributeViews().contains(UNIX) ? ofUnix(path) : ofAny(path);
    }

    private static FileIdentity ofUnix(Path path) throws IOException {
        Map<String, Object> state =
                Files.readAttributes(path, "unix:isRegularFile,fileKey,size,lastModifiedTime,ctime");
        return new FileIdentity(
                path,
                told(state, "isRegularFile", Boolean.class),
                state.get("fileKey"),
                told(state, "size", Long.class),
                told(state, "lastModifiedTime", FileTime.class),
                told(state, "ctime", FileTime.class));
    }

    private static <T> T told(Map<String, Object> state, String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(state.get(name), name));
    }

    private static FileIdentity ofAny(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return new FileIdentity(
                path,
                attributes.isRegularFile(),
                attributes.fileKey(),
                attributes.size(),
                attributes.lastModifiedTime(),
                attributes.lastModifiedTime());
    }

    /** Whether the file is still in this state; false where the system has no key that proves it. */
    boolean isStill() throws IOException {
        return key != null && equals(of(path));
    }
}
