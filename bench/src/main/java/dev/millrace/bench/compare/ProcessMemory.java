package dev.millrace.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory of this process, as Linux counts it; 0 if the system does not report it. */
public final class ProcessMemory {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String PEAK = "VmHWM:";
    private static final String NOW = "VmRSS:";

    private ProcessMemory() {}

    /** The peak of resident memory, in KiB. */
    public static long peakKib() throws IOException {
        return kib(PEAK);
    }

    /** The resident memory at present, in KiB. */
    public static long residentKib() throws IOException {
        return kib(NOW);
    }

    private static long kib(String field) throws IOException {
        return Files.isReadable(STATUS) ? kib(field, Files.readString(STATUS)) : 0;
    }

    /** Returns the peak in the text of {@code /proc/self/status}. */
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
