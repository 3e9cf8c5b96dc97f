package dev.millrace.epcontext.binary;

import dev.millrace.memory.file.OwnFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLockInterruptionException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Held by the one writer, of all processes, that gives files of a folder their names: a model and its binary are two files,
 * and those of two writers must not mix. The lock is a file that is gone when nobody holds it. Where a file system has no
 * locks, only the writers of one process wait for each other.
 */
public final class FolderLock implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FolderLock.class.getName());
    private static final String NAME = ".millrace.lock";
    /** The length of the text of a UUID, which is all that a lock holds. */
    private static final int MARK_BYTES = 36;

    /** The system's locks are those of a process. */
    private static final ReentrantLock IN_THIS_PROCESS = new ReentrantLock();

    private final Path file;
    private final @Nullable FileChannel channel;

    private FolderLock(Path file, @Nullable FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Waits until nobody else holds it. */
    public static FolderLock of(Path folder) throws IOException {
        Path file = folder.resolve(NAME);
        IN_THIS_PROCESS.lock();
        try {
            if (!isFree(file)) {
                LOG.log(System.Logger.Level.WARNING, file + " is no lock, so that nobody waits for who writes there");
                return new FolderLock(file, null);
            }
            return new FolderLock(file, locked(file));
        } catch (FileLockInterruptionException | ClosedByInterruptException e) {
            IN_THIS_PROCESS.unlock();
            throw e;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot lock " + file, e);
            remove(file);
            return new FolderLock(file, null);
        } catch (RuntimeException | Error e) {
            IN_THIS_PROCESS.unlock();
            throw e;
        }
    }

    private static FileChannel locked(Path file) throws IOException {
        while (true) {
            // for reading too: to open a FIFO for writing alone would wait for a reader
            FileChannel channel = FileChannel.open(
                    file,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.READ,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
            try {
                channel.lock();
                if (isStillThere(file, channel)) {
                    return channel;
                }
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
            channel.close();
        }
    }

    /** Whether what has the name, if anything has, may be written into and removed. */
    private static boolean isFree(Path file) {
        try {
            return !OwnFiles.isFile(file) || Files.size(file) <= MARK_BYTES;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the file that was opened has its name still: who held it before has removed it otherwise. */
    private static boolean isStillThere(Path file, FileChannel channel) throws IOException {
        String mark = UUID.randomUUID().toString();
        channel.write(ByteBuffer.wrap(mark.getBytes(StandardCharsets.US_ASCII)), 0);
        try {
            return Files.readString(file, StandardCharsets.US_ASCII).equals(mark);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                remove(file);
                channel.close();
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot unlock " + file, e);
        } finally {
            IN_THIS_PROCESS.unlock();
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + file, e);
        }
    }
}
