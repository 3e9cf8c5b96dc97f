package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.OwnMemory;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The content of files, got on interrupted threads too, which stay interrupted. */
public final class FileMapping {
    private static final long ALIGNMENT = 4096;
    /** A buffer has less than 2 GB, and an interrupt is seen after each. */
    private static final long AT_ONCE = 1 << 24;

    private FileMapping() {}

    private interface Way {
        MemorySegment of(FileChannel channel) throws IOException;
    }

    /** The content of {@code file}, mapped for as long as {@code arena} lives. */
    public static MemorySegment of(Path file, Arena arena) throws IOException {
        return uninterrupted(file, channel -> channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
    }

    /** The content of {@code file}, read or mapped for as long as somebody refers to it. */
    public static MemorySegment content(Path file, FileUse use) throws IOException {
        if (!use.reads(Files.size(file))) {
            return of(file, Arena.ofAuto());
        }
        try {
            return read(file);
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for the " + Files.size(file) + " bytes of " + file
                            + "; raise -XX:MaxDirectMemorySize, or let the model's files be mapped",
                    e);
        }
    }

    /** The content of {@code file} as it is now, in memory that the garbage collector reclaims. */
    public static MemorySegment read(Path file) throws IOException {
        return uninterrupted(file, FileMapping::read);
    }

    private static MemorySegment read(FileChannel channel) throws IOException {
        long size = channel.size();
        MemorySegment memory = OwnMemory.allocate(Math.max(1, size), ALIGNMENT).asSlice(0, size);
        for (long at = 0; at < size; ) {
            int count = channel.read(
                    memory.asSlice(at, Math.min(size - at, AT_ONCE)).asByteBuffer(), at);
            if (count < 0) {
                throw new EOFException("it was cut short while it was read");
            }
            at += count;
        }
        return memory.asReadOnly();
    }

    private static MemorySegment uninterrupted(Path file, Way way) throws IOException {
        return Uninterrupted.get(() -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return way.of(channel);
            }
        });
    }
}
