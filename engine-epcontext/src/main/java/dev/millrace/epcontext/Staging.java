package dev.millrace.epcontext;

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
 * A hidden folder beside files that are to appear whole or not at all. They are written there under their own names, and
 * moved out in the order in which they were named once all of them are ready. Closing leaves nothing behind of what was
 * not published; what a process that was killed has left is removed by the next one that writes to the same place.
 */
final class Staging implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Staging.class.getName());
    private static final String PREFIX = ".millrace-";
    private static final Pattern NAME =
            Pattern.compile("\\.millrace-\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}");
    /** Held by the process that writes to the folder; the system lets go of it when that process ends. */
    private static final String LOCK = ".lock";
    /** How long nothing was written to a folder that has been left: far longer than making one takes. */
    private static final Duration LEFT = Duration.ofMinutes(10);

    private final Disk disk;
    private final Path target;
    private final Path folder;
    private final @Nullable FileChannel lock;
    private final Map<Path, Target> targets = new LinkedHashMap<>();

    /** @param first one of the files; the others lie in the same folder */
    Staging(Path first) {
        this(first, Disk.SYSTEM);
    }

    Staging(Path first, Disk disk) {
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

    /** The file, open and locked; not every file system has locks, and only age protects the folder then. */
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

    /** Removes the folders of processes that are gone, if nothing was written to them for a while. */
    private void sweep() {
        try (Stream<Path> beside = Files.list(target)) {
            // the time as the file system tells it
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
            // somebody is at it, or it is not ours to remove
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
     * Where to write what is to become {@code file}. A place that nothing is written to is left out later.
     *
     * @param replaces whether it may take the place of another
     */
    Path place(Path file, boolean replaces) {
        Path place = folder.resolve(file.getFileName());
        if (targets.put(place, new Target(file, replaces)) != null) {
            throw EngineException.invalidArgument(
                    "two of the files to write in " + target + " are called " + file.getFileName());
        }
        return place;
    }

    /** Moves every file to where it belongs; when one cannot be moved, none stays. */
    void publish() {
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
            // the others may be what somebody who was faster has written since
            published.stream().filter(each -> !each.replaces).forEach(each -> delete(each.file));
            throw ContextOutput.exists(Path.of(e.getFile()));
        } catch (IOException e) {
            published.forEach(each -> delete(each.file));
            throw new EngineException(Status.FAIL, "cannot move what was written into " + target + ": " + e, e);
        }
    }

    /** Before anything is replaced: the binary of a faster writer belongs to the model that it has written. */
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
                // a link, unlike a move, fails where somebody else was faster
                disk.link(from, to);
                return;
            } catch (FileAlreadyExistsException e) {
                throw new FileAlreadyExistsException(to.toString());
            } catch (UnsupportedOperationException | FileSystemException e) {
                // where there are no links, the slower of two writers that begin at once replaces the faster one's file
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

    /** A file that stays is worth a warning, and not an error that hides the one before it. */
    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }
}
