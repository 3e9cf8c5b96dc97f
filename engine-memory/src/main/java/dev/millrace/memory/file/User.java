package dev.millrace.memory.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.StringTokenizer;

/** The user that files of this process belong to. A name would not do: in a container the user may have none. */
final class User {
    private static final Path STATUS = Path.of("/proc/self/status");
    /** The line with four numbers of users: real, effective, saved, and that of files. */
    private static final String LINE = "\nUid:";

    private static final int OF_FILES = 4;

    static final int ID = find();

    private User() {}

    private static int find() {
        try {
            return Files.exists(STATUS) ? told(Files.readString(STATUS)) : ofNewFile();
        } catch (IOException | RuntimeException _) {
            // nobody: all but root's is another user's
            return -1;
        }
    }

    private static int told(String status) {
        var numbers = new StringTokenizer(status.substring(status.indexOf(LINE) + LINE.length()));
        for (int i = 1; i < OF_FILES; i++) {
            numbers.nextToken();
        }
        return Integer.parseInt(numbers.nextToken());
    }

    /** The owner of a file that is made now, on systems without that folder. */
    private static int ofNewFile() throws IOException {
        Path file = Files.createTempFile("millrace", "");
        try {
            return Entry.of(file).owner();
        } finally {
            Files.delete(file);
        }
    }
}
