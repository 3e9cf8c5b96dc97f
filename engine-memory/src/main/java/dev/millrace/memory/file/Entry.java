package dev.millrace.memory.file;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * The state of one name in a folder. A link is looked at itself, and not what it leads to.
 *
 * @param mode the type and the permissions, as the system has them
 * @param names how many names the file has
 */
record Entry(Path path, int mode, int owner, int group, int names) {
    private static final int TYPE = 0170000;
    private static final int FOLDER = 0040000;
    private static final int FILE = 0100000;
    private static final int LINK = 0120000;
    private static final int STICKY = 01000;
    private static final int GROUP_WRITES = 0020;
    private static final int OTHERS_WRITE = 0002;
    private static final int RIGHTS_OF_OTHERS = 0077;
    private static final int ROOT = 0;

    static Entry of(Path path) throws IOException {
        Map<String, Object> state = Files.readAttributes(path, "unix:mode,uid,gid,nlink", LinkOption.NOFOLLOW_LINKS);
        return new Entry(
                path, number(state, "mode"), number(state, "uid"), number(state, "gid"), number(state, "nlink"));
    }

    private static int number(Map<String, Object> state, String name) throws FileSystemException {
        if (state.get(name) instanceof Integer number) {
            return number;
        }
        throw new FileSystemException("the file system does not tell the " + name + " of files");
    }

    boolean isFolder() {
        return (mode & TYPE) == FOLDER;
    }

    boolean isFile() {
        return (mode & TYPE) == FILE;
    }

    boolean isLink() {
        return (mode & TYPE) == LINK;
    }

    /** Whether it belongs to a user or to root, who may do everything anyway. */
    boolean isTrustedBy(int user) {
        return owner == user || owner == ROOT;
    }

    /**
     * Whether anybody but its owner may write it. A group that has the number of a user is that user's own, as systems
     * that give new files to such a group make it; root's group has other members.
     */
    boolean isWrittenByOthers() {
        boolean isPrivate = group == owner && owner != ROOT;
        return (mode & OTHERS_WRITE) != 0 || ((mode & GROUP_WRITES) != 0 && !isPrivate);
    }

    boolean isForOwnerAlone() {
        return (mode & RIGHTS_OF_OTHERS) == 0;
    }

    /** Whether others cannot take away or exchange what does not belong to them. */
    boolean isSticky() {
        return (mode & STICKY) != 0;
    }
}
