package dev.millrace.session;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the memory statistics of a process from Linux's {@code /proc/<pid>/smaps}. */
final class Smaps {
    private static final int KIB = 1024;

    private Smaps() {}

    static boolean areThere() {
        return Files.isReadable(Path.of("/proc/self/smaps"));
    }

    /** Returns the bytes of a field, such as Rss or Pss, in all of a process's mappings of a file. */
    static long of(long process, Path file, String field) throws IOException {
        String name = file.toRealPath().toString();
        boolean counts = false;
        long kib = 0;
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process), "smaps"))) {
            if (line.startsWith(field + ":")) {
                kib += counts ? number(line) : 0;
            } else if (line.indexOf('-') > 0 && line.indexOf('-') < line.indexOf(' ')) {
                counts = line.endsWith(name);
            }
        }
        return kib * KIB;
    }

    /** Returns the bytes of a field in all mappings of a process. */
    static long total(long process, String field) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc", Long.toString(process), "smaps_rollup"))) {
            if (line.startsWith(field + ":")) {
                return number(line) * KIB;
            }
        }
        throw new IOException("there is no field " + field);
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("[^0-9]", ""));
    }
}
