package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.Disk;
import dev.millrace.epcontext.binary.FolderLock;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.memory.file.OwnFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A hidden folder in which files are written under their own names, beside the place where they are to
 * appear atomically. Once all are complete they are moved out in the order in which they were named. Closing
 * removes every file that was not published; the files of a process that was killed are removed by the next
 * one that writes to the same place.
 */
public final class Staging implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Staging.class.getName());
    private static final String PREFIX = ".millrace-";
    private static final Pattern NAME =
            Pattern.compile("\\.millrace-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    /** The lock file, held by the process that writes to the folder; the system releases it when that process ends. */
    private static final String LOCK = ".lock";
    /** The time without writes after which a folder counts as abandoned: far longer than writing one takes. */
    private static final Duration LEFT = Duration.ofMinutes(10);

    private final Disk disk;
    private final Path target;
    private final Path folder;
    private final @Nullable FileChannel lock;
    private final Map<Path, Target> targets = new LinkedHashMap<>();

    /** @param first one of the files; the others go to the same folder */
    Staging(Path first) {
        this(first, Disk.SYSTEM);
    }

    public Staging(Path first, Disk disk) {
        this.disk = disk;
        Path parent = first.toAbsolutePath().getParent();
        if (parent == null) {
            throw EngineException.invalidArgument(first + " is no file that could be written");
        }
        target = parent;
        folder = parent.resolve(PREFIX + UUID.randomUUID());
        try {
            OwnFiles.createFolder(folder);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "folder " + parent + " cannot be written to: " + e, e);
        }
        lock = locked(folder.resolve(LOCK));
        sweep();
    }

    /**
     * Returns the file, open and locked. Not every file system has locks; without them only its
     * age protects the folder.
     */
    private static @Nullable FileChannel locked(Path file) {
        try {
            FileChannel channel = OwnFiles.create(file, StandardOpenOption.CREATE_NEW);
            channel.tryLock();
            return channel;
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "cannot lock " + file, e);
            return null;
        }
    }

    /** Removes the folders of processes that have ended, if nothing was written to them for a while. */
    private void sweep() {
        try (Stream<Path> beside = Files.list(target)) {
            // the file system's own time
            Instant before = Files.getLastModifiedTime(folder).toInstant().minus(LEFT);
            beside.filter(path -> NAME.matcher(path.getFileName().toString()).matches())
                    .filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                    .filter(path -> isLeft(path, before))
                    .forEach(Staging::remove);
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot look for what was left in " + target, e);
        }
    }

    private static boolean isLeft(Path folder, Instant before) {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path path : Stream.concat(Stream.of(folder), files).toList()) {
                if (!Files.getLastModifiedTime(path, LinkOption.NOFOLLOW_LINKS)
                        .toInstant()
                        .isBefore(before)) {
                    return false;
                }
            }
            return isUnlocked(folder.resolve(LOCK));
        } catch (IOException | OverlappingFileLockException e) {
            // another process uses it, or it belongs to another user
            return false;
        }
    }

    private static boolean isUnlocked(Path lock) throws IOException {
        if (!OwnFiles.isFile(lock)) {
            return true;
        }
        try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
            return channel.tryLock() != null;
        }
    }

    private record Target(Path file, boolean replaces) {}

    /**
     * Returns the path at which the content of {@code file} is to be written. A path that
     * nothing is written to is skipped later.
     *
     * @param replaces whether it may replace an existing file
     */
    public Path place(Path file, boolean replaces) {
        Path place = folder.resolve(file.getFileName());
        if (targets.put(place, new Target(file, replaces)) != null) {
            throw EngineException.invalidArgument(
                    "two of the files to write in " + target + " are called " + file.getFileName());
        }
        return place;
    }

    /** Moves every file to its place; if one cannot be moved, none stays. */
    public void publish() {
        List<Target> published = new ArrayList<>();
        try {
            targets.keySet().removeIf(Files::notExists);
            for (Path place : targets.keySet()) {
                OwnFiles.limitAs(target, place);
                disk.forceFile(place);
            }
            try (FolderLock _ = FolderLock.of(target)) {
                checkFree();
                for (Map.Entry<Path, Target> each : targets.entrySet()) {
                    Target to = each.getValue();
                    move(each.getKey(), to.file, to.replaces);
                    published.add(to);
                }
            }
            disk.forceFolder(target);
        } catch (FileAlreadyExistsException e) {
            // replaced files may have been written since by a faster writer
            published.stream().filter(each -> !each.replaces).forEach(each -> delete(each.file));
            throw ContextOutput.exists(Path.of(e.getFile()));
        } catch (IOException e) {
            published.forEach(each -> delete(each.file));
            throw new EngineException(Status.FAIL, "cannot move what was written into " + target + ": " + e, e);
        }
    }

    /**
     * Throws if a file that must not be replaced exists. Called before anything is replaced, because the binary of a
     * faster writer belongs to the model that it has written.
     */
    private void checkFree() throws FileAlreadyExistsException {
        for (Target each : targets.values()) {
            if (!each.replaces && Files.exists(each.file, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileAlreadyExistsException(each.file.toString());
            }
        }
    }

    private void move(Path from, Path to, boolean replaces) throws IOException {
        if (!replaces) {
            try {
                // a link, unlike a move, fails if another writer was faster
                disk.link(from, to);
                return;
            } catch (FileAlreadyExistsException e) {
                throw new FileAlreadyExistsException(to.toString());
            } catch (UnsupportedOperationException | FileSystemException e) {
                // without links, the slower of two writers that begin at once replaces the faster one's file
                LOG.log(System.Logger.Level.DEBUG, "no links in the folder of " + to, e);
            }
        }
        disk.replace(from, to);
    }

    @Override
    public void close() {
        try {
            if (lock != null) {
                lock.close();
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot unlock " + folder, e);
        }
        remove(folder);
    }

    private static void remove(Path folder) {
        try (Stream<Path> left = Files.list(folder)) {
            left.forEach(Staging::delete);
        } catch (IOException | UncheckedIOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot clear " + folder, e);
        }
        delete(folder);
    }

    /** Deletes a file. A failure is logged as a warning, so that it does not hide an earlier error. */
    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }
}
