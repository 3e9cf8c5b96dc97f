package dev.millrace.models.http;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file that is being downloaded. It keeps what has arrived, so that the next attempt goes on there. One attempt at a time
 * writes it; {@link #bytes} may be read by other threads.
 */
public final class PartialFile {
    private static final long REPORTED = 1 << 20;

    /** A listener to the bytes that have arrived. */
    @FunctionalInterface
    public interface Arrival {
        /** @param total the bytes of the whole file; -1 if nobody said */
        void onBytes(long bytes, long total);
    }

    private final Path file;
    private final long size;
    private final long largest;
    private final Arrival arrival;
    private volatile long bytes;
    private volatile @Nullable EngineException refusal;
    private long reported;

    /**
     * @param size the bytes of the whole file; -1 if nobody said
     * @param largest the most bytes that are taken
     */
    public PartialFile(Path file, long size, long largest, Arrival arrival) throws IOException {
        this.file = file;
        this.size = size;
        this.largest = largest;
        this.arrival = arrival;
        bytes = Files.exists(file) ? Files.size(file) : 0;
        if (size > largest) {
            throw tooLarge(size);
        }
        if (size >= 0 && bytes > size) {
            restart();
        }
        requireRoom();
    }

    private void requireRoom() {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null && size > 0) {
            long room = room(folder);
            if (size - bytes > room) {
                throw new EngineException(
                        Status.FAIL,
                        folder + " has room for " + room + " bytes, and " + (size - bytes) + " are to be downloaded");
            }
        }
    }

    /** Returns the free bytes of a folder's file system; as many as can be if it does not say, as in some sandboxes. */
    private static long room(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }

    private EngineException tooLarge(long claimed) {
        return new EngineException(
                Status.FAIL, "the file has " + claimed + " bytes; the option largestFile allows " + largest);
    }

    public long bytes() {
        return bytes;
    }

    /** Returns why the file is not wanted; null if nothing speaks against it. */
    @Nullable
    EngineException refusal() {
        return refusal;
    }

    /** Whether all bytes have arrived, as far as their number is known. */
    public boolean isComplete() {
        return size >= 0 && bytes == size;
    }

    boolean endsEarly() {
        return size >= 0 && bytes < size;
    }

    /** Forgets what has arrived. */
    void restart() throws IOException {
        Files.deleteIfExists(file);
        bytes = 0;
        reported = 0;
    }

    /**
     * Opens the file for the body of an answer.
     *
     * @param start the place of the body in the file
     * @param length the bytes of the body; -1 if nobody said
     */
    public Writer writer(long start, long length) throws IOException {
        long total = size >= 0 ? size : length < 0 ? -1 : start + length;
        if (total > largest) {
            throw refuse(tooLarge(total));
        }
        if (start == 0) {
            restart();
        } else if (start != bytes) {
            throw new IOException("the server answers from byte " + start + ", and byte " + bytes + " was asked for");
        }
        arrival.onBytes(bytes, total);
        return new Writer(
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
                total);
    }

    private EngineException refuse(EngineException why) {
        refusal = why;
        return why;
    }

    /** The open file. */
    public final class Writer implements AutoCloseable {
        private final FileChannel channel;
        private final long total;

        private Writer(FileChannel channel, long total) {
            this.channel = channel;
            this.total = total;
        }

        public void write(List<ByteBuffer> buffers) throws IOException {
            long count = buffers.stream().mapToLong(ByteBuffer::remaining).sum();
            long most = total >= 0 ? total : largest;
            if (bytes + count > most) {
                throw refuse(
                        total >= 0
                                ? new EngineException(
                                        Status.FAIL, "the server sends more than the " + total + " bytes of the file")
                                : tooLarge(bytes + count));
            }
            for (ByteBuffer each : buffers) {
                while (each.hasRemaining()) {
                    channel.write(each);
                }
            }
            bytes += count;
            if (bytes - reported >= REPORTED) {
                reported = bytes;
                arrival.onBytes(bytes, total);
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }

        public void end() throws IOException {
            close();
            arrival.onBytes(bytes, total);
        }
    }
}
