package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** How much memory this process has, as Linux counts it; 0 where the system does not say. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String PEAK = "VmHWM:";
    private static final String NOW = "VmRSS:";

    private ProcessMemory() {}

    /** The most that it had at once, in KiB. */
    public static long peakKib() throws IOException {
        return kib(PEAK);
    }

    /** What it has now, in KiB. */
    public static long residentKib() throws IOException {
        return kib(NOW);
    }

    private static long kib(String field) throws IOException {
        return Files.isReadable(STATUS) ? kib(field, Files.readString(STATUS)) : 0;
    }

    /** The peak of a status. */
    public static long peakKib(String status) {
        return kib(PEAK, status);
    }

    private static long kib(String field, String status) {
        return status.lines()
                .filter(line -> line.startsWith(field))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }
}
