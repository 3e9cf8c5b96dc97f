package dev.millrace.graph.format;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files mapped for reading, on interrupted threads too, which stay interrupted. */
public final class FileMapping {
    private FileMapping() {}

    /** The content of {@code file}, mapped for as long as {@code arena} lives. */
    public static MemorySegment of(Path file, Arena arena) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                    return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
                } catch (ClosedByInterruptException e) {
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
