package dev.millrace.cli.fire;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;

/**
 * What this process holds.
 *
 * @param kilobytes that are resident
 * @param live those of objects that a collection has left
 */
record Held(long kilobytes, long live, int threads, int descriptors) {
    static final Path STATUS = Path.of("/proc/self/status");

    private static Held now() throws IOException {
        long kilobytes = 0;
        int threads = 0;
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("VmRSS:")) {
                kilobytes = number(line);
            } else if (line.startsWith("Threads:")) {
                threads = (int) number(line);
            }
        }
        long live = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 10;
        try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
            return new Held(kilobytes, live, threads, (int) descriptors.count());
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    /** Without garbage, and without what the C library keeps for later: how much of both there is depends on the moment. */
    private static Held collected() throws Exception {
        System.gc();
        ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        "systemTrimNativeHeap",
                        new Object[0],
                        new String[0]);
        return now();
    }

    /**
     * The least of several looks: which models are open differs from one to the next, and what a collection has found is
     * unmapped by another thread, later.
     */
    static Held settled(int looks, Duration between) throws Exception {
        Held least = collected();
        for (int look = 1; look < looks; look++) {
            LockSupport.parkNanos(between.toNanos());
            Held other = collected();
            least = new Held(
                    Math.min(least.kilobytes, other.kilobytes),
                    Math.min(least.live, other.live),
                    other.threads,
                    other.descriptors);
        }
        return least;
    }

    /** Resident memory with the live objects in place of the whole heap, whose pages are all resident. */
    long withoutHeap() {
        return kilobytes - (Runtime.getRuntime().totalMemory() >> 10) + live;
    }

    @Override
    public String toString() {
        return kilobytes + " KB (" + withoutHeap() + " without what is free of the heap), " + threads + " threads, "
                + descriptors + " descriptors";
    }
}
