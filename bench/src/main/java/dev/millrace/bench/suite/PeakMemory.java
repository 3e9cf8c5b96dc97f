package dev.millrace.bench.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The most memory that this process had at once, as Linux counts it. */
final class PeakMemory {
    private static final Path STATUS = Path.of("/proc/self/status");

    private PeakMemory() {}

    /** In KiB; 0 where the system does not say. */
    static long kib() throws IOException {
        return Files.isReadable(STATUS) ? kib(Files.readString(STATUS)) : 0;
    }

    static long kib(String status) {
        return status.lines()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }
}
