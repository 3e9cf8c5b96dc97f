package dev.millrace.graph.format;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.jspecify.annotations.Nullable;

/**
 * One state of the file at a path: what was put in its place, or written since, is another.
 *
 * @param isFile whether it is a file of bytes, and no folder
 * @param key what the system tells its files apart by, or null where it has nothing for that
 */
public record FileIdentity(
        Path path, boolean isFile, @Nullable Object key, long size, FileTime modified) {
    /** What lies there now. */
    public static FileIdentity of(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        return new FileIdentity(
                path,
                attributes.isRegularFile(),
                attributes.fileKey(),
                attributes.size(),
                attributes.lastModifiedTime());
    }

    /** Whether it is surely there still. */
    boolean isStill() throws IOException {
        return key != null && equals(of(path));
    }
}
