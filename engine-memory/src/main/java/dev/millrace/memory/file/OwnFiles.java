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
 * Files and folders that this user alone writes, made and looked at. What is refused is a {@link FileSystemException}, whose
 * reason says what to do. Root is trusted. A file system that does not tell owners and permissions is not asked for them.
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

    /** Whether the file system tells who may write a file. */
    public static boolean areTold(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("unix");
    }

    /**
     * Opens a file for reading that this user has made, and that nobody else can have written or put in its place.
     *
     * <p>Each folder and each link on the way belongs to this user or to root, and others may not write the folders; in one like
     * {@code /tmp} they may, since they cannot exchange what is not theirs. So nothing that is looked at here can be
     * another file when it is opened. The file has no other name, and is no link.
     *
     * @throws FileSystemException if somebody else may have written it, or may exchange it
     */
    public static FileChannel open(Path file) throws IOException {
        Path reached = reached(file);
        Entry entry = Entry.of(reached);
        if (!entry.isFile()) {
            throw refusal(file, entry.isLink() ? "it is a symbolic link" : "it is no regular file");
        }
        if (!entry.isOf(User.ID) || entry.isWrittenByOthers()) {
            throw refusal(file, "it belongs to another user, or others may write it; remove it");
        }
        if (entry.names() != 1) {
            throw refusal(file, "it has more than one name; remove it");
        }
        return FileChannel.open(reached, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Throws where others may change which file a path leads to.
     *
     * @throws FileSystemException if somebody else may exchange the file, or a folder on the way to it
     */
    public static void checkWay(Path file) throws IOException {
        reached(file);
    }

    /** The same file, without links on the way to it, once it is sure that it stays the same. */
    private static Path reached(Path file) throws IOException {
        Path absolute = file.toAbsolutePath();
        Path name = absolute.getFileName();
        Path parent = absolute.getParent();
        Path at = absolute.getRoot();
        if (name == null || parent == null || at == null) {
            throw refusal(file, "it is no file");
        }
        Deque<Path> left = new ArrayDeque<>();
        push(parent, left);
        checkWayIn(Entry.of(at));
        int links = 0;
        while (!left.isEmpty()) {
            Path next = at.resolve(left.pop()).normalize();
            Entry entry = Entry.of(next);
            if (!entry.isTrustedBy(User.ID)) {
                throw refusal(next, "it belongs to another user");
            }
            if (entry.isLink()) {
                if (++links > MOST_LINKS) {
                    throw refusal(file, "too many symbolic links lead to it");
                }
                Path target = Files.readSymbolicLink(next);
                push(target, left);
                at = target.isAbsolute() ? target.getRoot() : at;
            } else {
                checkWayIn(entry);
                at = next;
            }
        }
        return at.resolve(name);
    }

    /** The names of a path, to be walked before what is left. No link stands before a {@code ..} that is walked. */
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
     * Throws where a folder is a symbolic link, belongs to another user, or may be written by others.
     *
     * @throws FileSystemException if it is no folder that this user alone, or root, writes
     */
    public static void checkFolder(Path folder) throws IOException {
        if (!areTold(folder)) {
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                throw refusal(folder, "it is no folder");
            }
            return;
        }
        Entry entry = Entry.of(folder);
        if (!entry.isFolder()) {
            throw refusal(folder, entry.isLink() ? "it is a symbolic link" : "it is no folder");
        }
        if (!entry.isTrustedBy(User.ID)) {
            throw refusal(folder, "it belongs to another user; name a folder of your own");
        }
        if (entry.isWrittenByOthers()) {
            throw refusal(folder, "others may write it; chmod 700 it, or name a new folder inside of it");
        }
    }

    /**
     * Throws where a name is there and is no regular file: to open a FIFO waits for somebody who writes, a device has no end, and a
     * link leads to a file that is not meant.
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

    /** The folder that a path names, or the one that a link of this user's or of root's leads to. */
    public static Path folder(Path path) throws IOException {
        return areTold(path) && Files.isSymbolicLink(path) && Entry.of(path).isTrustedBy(User.ID)
                ? path.toRealPath()
                : path;
    }

    /** Makes a folder, and those above it that are not there, for this user alone. */
    public static void createFolders(Path folder) throws IOException {
        Files.createDirectories(folder, areTold(folder) ? FOLDER : NONE);
    }

    /** Opens a file to write it, which is for this user alone where it is made now. A link is not followed. */
    public static FileChannel create(Path file, StandardOpenOption how) throws IOException {
        Set<OpenOption> options = Set.of(how, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        return FileChannel.open(file, options, areTold(file) ? FILE : NONE);
    }

    private static FileSystemException refusal(Path path, String why) {
        return new FileSystemException(path.toString(), null, why);
    }
}
