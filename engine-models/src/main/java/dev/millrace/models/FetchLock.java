package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The right to write one file of a cache, which one thread of one process has at a time. */
final class FetchLock implements AutoCloseable {
    /** The locks among threads. A lock of a file belongs to the whole process, so these do too. */
    private static final Map<Path, ReentrantLock> OF_THREADS = new ConcurrentHashMap<>();

    private final ReentrantLock thread;
    private final FileChannel channel;
    private final FileLock process;

    private FetchLock(ReentrantLock thread, FileChannel channel, FileLock process) {
        this.thread = thread;
        this.channel = channel;
        this.process = process;
    }

    /** Waits for the right that a file stands for. The file stays. */
    static FetchLock of(Path file) throws IOException {
        Path absolute = file.toAbsolutePath().normalize();
        Files.createDirectories(Objects.requireNonNull(absolute.getParent()));
        ReentrantLock thread = OF_THREADS.computeIfAbsent(absolute, _ -> new ReentrantLock());
        FileChannel channel = null;
        try {
            thread.lockInterruptibly();
            channel = FileChannel.open(absolute, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            return new FetchLock(thread, channel, channel.lock());
        } catch (InterruptedException | FileLockInterruptionException e) {
            release(thread, channel);
            Thread.currentThread().interrupt();
            throw new EngineException(Status.CANCELLED, "the thread that waits for " + file + " was interrupted", e);
        } catch (IOException | RuntimeException e) {
            release(thread, channel);
            throw e;
        }
    }

    private static void release(ReentrantLock thread, @Nullable FileChannel channel) throws IOException {
        if (thread.isHeldByCurrentThread()) {
            thread.unlock();
        }
        if (channel != null) {
            channel.close();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            process.release();
        } finally {
            release(thread, channel);
        }
    }
}
