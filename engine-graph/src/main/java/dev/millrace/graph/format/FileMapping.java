package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.memory.MappingGuard;
import dev.millrace.memory.WatchedMapping;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and maps files. Interrupted threads can do so too, and stay interrupted. */
public final class FileMapping {
    private static final long ALIGNMENT = 4096;
    /** The bytes of one read. A buffer has less than 2 GB, and an interrupt is noticed after each read. */
    private static final long AT_ONCE = 1 << 24;

    private static final String CUT_SHORT = "it was cut short while it was read";

    private FileMapping() {}

    /** A function of an open file. */
    public interface Way<T> {
        T of(FileChannel channel) throws IOException;
    }

    /**
     * The content of a file.
     *
     * @param mapped the watched mapping, which users of the content must check afterwards; null where the content is
     *     not mapped or not watched
     * @param origin the file as it was before it was mapped
     */
    public record Content(
            MemorySegment bytes,
            @Nullable MappedFile mapped,
            @Nullable FileIdentity origin) {
        /** Returns content in memory that does not depend on a file. */
        public static Content of(MemorySegment bytes) {
            return new Content(bytes, null, null);
        }

        /**
         * Applies {@code way} to the file that is mapped. Reading a file once takes a quarter of the time that the
         * first touch of its mapped pages takes. Empty where that file is no longer in its place, or was changed since
         * its state was taken before it was mapped.
         */
        public <T> Optional<T> ofFile(Way<T> way) throws IOException {
            FileIdentity known = origin;
            return known == null
                    ? Optional.empty()
                    : uninterrupted(
                            known.path(), channel -> known.isStill() ? Optional.of(way.of(channel)) : Optional.empty());
        }

        /** The watched mapping as a list, which is empty where there is none. */
        public List<MappedFile> watched() {
            return mapped == null ? List.of() : List.of(mapped);
        }

        /** Throws where the file was cut short meanwhile. */
        public void check() {
            if (mapped != null) {
                mapped.check();
            }
        }
    }

    /** A function of the content of a file. */
    public interface Use<T> {
        T of(MemorySegment content) throws IOException;
    }

    /** Applies {@code use} to the content of {@code file}, which is mapped for that time. */
    public static <T> T use(Path file, Use<T> use) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            Content content = map(FileIdentity.of(file), arena);
            try {
                T result = use.of(content.bytes);
                requireWhole(content);
                return result;
            } catch (RuntimeException e) {
                requireWhole(content);
                throw e;
            }
        }
    }

    private static void requireWhole(Content content) throws EOFException {
        if (content.mapped != null && content.mapped.isDamaged()) {
            throw new EOFException(CUT_SHORT);
        }
    }

    private static Content map(FileIdentity origin, Arena arena) throws IOException {
        Path file = requireFile(origin);
        return uninterrupted(file, channel -> {
            long size = channel.size();
            MemorySegment bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, arena);
            WatchedMapping watched = MappingGuard.watch(bytes, arena);
            if (watched != null && channel.size() < size) {
                throw new EOFException(CUT_SHORT);
            }
            MappedFile mapped = watched == null ? null : new MappedFile(file, bytes, watched::isDamaged);
            return new Content(bytes, mapped, origin);
        });
    }

    /** Returns the content of {@code file}, read or mapped for as long as it is reachable. */
    public static Content content(Path file, FileUse use) throws IOException {
        return content(FileIdentity.of(file), use);
    }

    /** Returns the content of a file whose state was taken just now. */
    public static Content content(FileIdentity origin, FileUse use) throws IOException {
        return use.reads(origin.size()) ? readAll(requireFile(origin)) : mapped(origin);
    }

    /**
     * Throws unless {@code file} is a regular file: opening a FIFO blocks until it has a writer, and a device has no
     * end.
     */
    private static Path requireFile(FileIdentity file) throws FileSystemException {
        if (!file.isFile()) {
            throw new FileSystemException(file.path().toString(), null, "it is no regular file");
        }
        return file.path();
    }

    /** Returns the content of a file whose state was taken just now, mapped for as long as it is reachable. */
    public static Content mapped(FileIdentity origin) throws IOException {
        return map(origin, Arena.ofAuto());
    }

    /** Returns the content of a regular file in memory. Fails with advice where memory is too small for it. */
    public static Content readAll(Path file) throws IOException {
        try {
            return Content.of(uninterrupted(file, FileMapping::read));
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for the " + Files.size(file) + " bytes of " + file
                            + "; raise -XX:MaxDirectMemorySize, or let the model's files be mapped",
                    e);
        }
    }

    /** Returns the current content of {@code file}, in memory that the garbage collector reclaims. */
    public static MemorySegment read(Path file) throws IOException {
        return uninterrupted(requireFile(FileIdentity.of(file)), FileMapping::read);
    }

    private static MemorySegment read(FileChannel channel) throws IOException {
        long size = channel.size();
        MemorySegment memory = OwnMemory.allocate(Math.max(1, size), ALIGNMENT).asSlice(0, size);
        for (long at = 0; at < size; ) {
            int count = channel.read(
                    memory.asSlice(at, Math.min(size - at, AT_ONCE)).asByteBuffer(), at);
            if (count < 0) {
                throw new EOFException(CUT_SHORT);
            }
            at += count;
        }
        return memory.asReadOnly();
    }

    private static <T> T uninterrupted(Path file, Way<T> way) throws IOException {
        return Uninterrupted.get(() -> {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return way.of(channel);
            }
        });
    }
}
