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
 * @param key what the system tells its files apart by
 */
public record FileIdentity(Path path, Object key, long size, FileTime modified) {
    /** What lies there now, or null where the system has no key for it. */
    static @Nullable FileIdentity of(Path path) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
        Object key = attributes.fileKey();
        return key == null ? null : new FileIdentity(path, key, attributes.size(), attributes.lastModifiedTime());
    }

    /** Whether it is there still. */
    boolean isStill() throws IOException {
        return equals(of(path));
    }
}
