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
     * another file when it is opened, nor a FIFO, whose opening would wait for somebody who writes. The file has no other name, and is
     * no link.
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
        if (name == null || parent == null) {
            throw refusal(file, "it is no file");
        }
        return walked(parent, true).path().resolve(name);
    }

    /**
     * The folder that an absolute path leads to, without links, once it is sure that it stays the same. Each name on the way is
     * looked at once.
     *
     * @param leadsOn whether it is only on the way, and looked at as such
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
     * Throws where a folder belongs to another user, where others may write it, or where they may put another in its place. Links of
     * this user's or of root's on the way are followed.
     *
     * @throws FileSystemException if it is no folder that this user alone, or root, writes
     */
    public static void checkFolder(Path folder) throws IOException {
        if (areTold(folder)) {
            checkOwn(walked(folder.toAbsolutePath(), false));
        }
    }

    /**
     * The same of a folder inside of one that was checked, which is no link.
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

    /** Throws where a path names no folder; a link to one is none. */
    public static void requireFolder(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw refusal(folder, Files.isSymbolicLink(folder) ? "it is a symbolic link" : "it is no folder");
        }
    }

    /**
     * Throws where a name is there and is no regular file: to open a FIFO waits for somebody who writes, a device has no end, and a
     * link leads to a file that is not meant. In a folder that others may write this holds for the moment of the look only: they can
     * put a FIFO in the file's place before it is opened, and the opening then waits until somebody writes. Look at the folder first
     * ({@link #checkFolder}, {@link #checkInner}), unless those who may write it are trusted.
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

    /** Makes a folder, and those above it that are not there, for this user alone. */
    public static void createFolders(Path folder) throws IOException {
        Files.createDirectories(folder, areTold(folder) ? FOLDER : NONE);
    }

    /** Makes a folder for this user alone. */
    public static void createFolder(Path folder) throws IOException {
        Files.createDirectory(folder, areTold(folder) ? FOLDER : NONE);
    }

    /** Leaves others no right to a file that is to lie in a folder to which they have none. */
    public static void limitAs(Path folder, Path file) throws IOException {
        if (areTold(folder) && Entry.of(folder).isForOwnerAlone()) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        }
    }

    /**
     * Opens a file to write it, which is for this user alone where it is made now. A link is not followed, and a FIFO that has taken
     * its place does not wait for a reader, since it is opened for reading too.
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
