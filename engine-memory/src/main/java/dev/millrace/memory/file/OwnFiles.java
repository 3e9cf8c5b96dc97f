package dev.millrace.memory.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;

/**
 * Creates and checks files and folders that only this user can write. A refusal is a {@link FileSystemException}, whose
 * reason says what to do. Root is trusted. Owners and permissions are not checked on a file system that has none.
 */
public final class OwnFiles {
    private static final int MOST_LINKS = 40;
    private static final FileAttribute<?>[] NONE = {};
    private static final FileAttribute<?>[] FILE = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
    };
    private static final FileAttribute<?>[] FOLDER = {
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
    };

    private OwnFiles() {}

    /** Whether the file system has owners and permissions of files. */
    public static boolean areTold(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /**
     * Opens a file for reading that this user or root has created, and that no other user can have written or replaced.
     *
     * <p>Each folder and each symbolic link on the path must belong to this user or to root, and others must not be
     * able to write the folders. A sticky folder like {@code /tmp} is an exception, since others cannot replace files
     * there that are not theirs. So a file that was checked here cannot be another one when it is opened, nor a FIFO,
     * whose opening would wait for a writer. The file must have no other name and be no link.
     *
     * @throws FileSystemException if another user may have written it, or may replace it
     */
    public static FileChannel open(Path file) throws IOException {
        Path reached = reached(file);
        Entry entry = Entry.of(reached);
        if (!entry.isFile()) {
            throw refusal(file, entry.isLink() ? "it is a symbolic link" : "it is no regular file");
        }
        if (!entry.isTrustedBy(User.ID) || entry.isWrittenByOthers()) {
            throw refusal(file, "it belongs to another user, or others may write it; remove it");
        }
        if (entry.names() != 1) {
            throw refusal(file, "it has more than one name; remove it");
        }
        return FileChannel.open(reached, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Checks that other users cannot change which file a path leads to.
     *
     * @throws FileSystemException if another user may replace the file, or a folder on the path to it
     */
    public static void checkWay(Path file) throws IOException {
        reached(file);
    }

    /**
     * Returns the path of the file with all symbolic links resolved, after a check that others cannot replace any part
     * of it.
     */
    private static Path reached(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path name = absolute.getFileName();
        Path parent = absolute.getParent();
        if (name == null || parent == null) {
            throw refusal(file, "it is no file");
        }
        return walked(parent, true).path().resolve(name);
    }

    /**
     * Returns the path of a folder with all symbolic links resolved, after a check that others cannot replace any part
     * of it. Each name on the path is looked at once.
     *
     * @param leadsOn whether the path continues in the folder, so that the folder itself is checked like those above it
     */
    private static Entry walked(Path folder, boolean leadsOn) throws IOException {
        Entry root = Entry.of(folder.getRoot());
        Entry at = root;
        Deque<Path> left = new ArrayDeque<>();
        push(folder, left);
        checkWayIn(root);
        int links = 0;
        while (!left.isEmpty()) {
            Path next = at.path().resolve(left.pop()).normalize();
            Entry entry = Entry.of(next);
            if (!entry.isTrustedBy(User.ID)) {
                throw refusal(next, "it belongs to another user");
            }
            if (entry.isLink()) {
                if (++links > MOST_LINKS) {
                    throw refusal(folder, "too many symbolic links lead to it");
                }
                Path target = Files.readSymbolicLink(next);
                push(target, left);
                at = target.isAbsolute() ? root : at;
            } else {
                if (leadsOn || !left.isEmpty()) {
                    checkWayIn(entry);
                }
                at = entry;
            }
        }
        return at;
    }

    /**
     * Pushes the names of a path before those that are left. Links are resolved before a following {@code ..} is, as
     * the system does.
     */
    private static void push(Path names, Deque<Path> left) {
        for (int i = names.getNameCount() - 1; i >= 0; i--) {
            left.push(names.getName(i));
        }
    }

    private static void checkWayIn(Entry folder) throws FileSystemException {
        if (!folder.isFolder()) {
            throw refusal(folder.path(), "it is no folder");
        }
        if (folder.isWrittenByOthers() && !folder.isSticky()) {
            throw refusal(
                    folder.path(),
                    "others may write this folder, and exchange what is in it; chmod go-w it, or use another");
        }
    }

    /**
     * Checks that a folder belongs to this user or to root and that others can neither write nor replace it. Links that
     * belong to this user or to root are followed.
     *
     * @throws FileSystemException if it is no folder that this user alone, or root, writes
     */
    public static void checkFolder(Path folder) throws IOException {
        if (areTold(folder)) {
            checkOwn(walked(folder.toAbsolutePath(), false));
        }
    }

    /**
     * Checks a folder, which must be no link, inside of one that was checked already.
     *
     * @throws FileSystemException if it is no folder that this user alone, or root, writes
     */
    public static void checkInner(Path folder) throws IOException {
        if (areTold(folder)) {
            checkOwn(Entry.of(folder));
        } else {
            requireFolder(folder);
        }
    }

    private static void checkOwn(Entry folder) throws FileSystemException {
        if (!folder.isFolder()) {
            throw refusal(folder.path(), folder.isLink() ? "it is a symbolic link" : "it is no folder");
        }
        if (!folder.isTrustedBy(User.ID)) {
            throw refusal(folder.path(), "it belongs to another user; name a folder of your own");
        }
        if (folder.isWrittenByOthers()) {
            throw refusal(folder.path(), "others may write it; chmod 700 it, or name a new folder inside of it");
        }
    }

    /** Throws unless a path names a folder; a link to a folder is refused. */
    public static void requireFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw refusal(folder, Files.isSymbolicLink(folder) ? "it is a symbolic link" : "it is no folder");
        }
    }

    /**
     * Throws if the path exists and is no regular file: opening a FIFO waits for a writer, a device has no end, and a
     * link leads to an unintended file. In a folder that others may write this holds at the moment of the check only:
     * they can put a FIFO in the file's place before it is opened, and the opening then waits until somebody writes.
     * Check the folder first ({@link #checkFolder}, {@link #checkInner}), unless those who may write it are trusted.
     *
     * @return whether there is a file
     */
    public static boolean isFile(Path file) throws IOException {
        BasicFileAttributes state;
        try {
            state = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException _) {
            return false;
        }
        if (!state.isRegularFile()) {
            throw refusal(file, "it is no regular file; remove it");
        }
        return true;
    }

    /** Creates a folder, and missing ones above it, for this user alone. */
    public static void createFolders(Path folder) throws IOException {
        Files.createDirectories(folder, areTold(folder) ? FOLDER : NONE);
    }

    /** Creates a folder for this user alone. */
    public static void createFolder(Path folder) throws IOException {
        Files.createDirectory(folder, areTold(folder) ? FOLDER : NONE);
    }

    /**
     * Removes all rights of others to {@code file} if they have none to {@code folder}, in which it is going to lie.
     */
    public static void limitAs(Path folder, Path file) throws IOException {
        if (areTold(folder) && Entry.of(folder).isForOwnerAlone()) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /**
     * Opens a file for writing, with rights for this user alone if it is created. A link is not followed. A FIFO in its
     * place does not block until there is a reader, since it is opened for reading, too.
     */
    public static FileChannel create(Path file, StandardOpenOption how) throws IOException {
        Set<OpenOption> options =
                Set.of(how, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(file, options, areTold(file) ? FILE : NONE);
    }

    private static FileSystemException refusal(Path path, String why) {
        return new FileSystemException(path.toString(), null, why);
    }
}
