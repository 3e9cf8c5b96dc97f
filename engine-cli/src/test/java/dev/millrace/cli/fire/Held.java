package dev.millrace.cli.fire;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

/**
 * What this process holds.
 *
 * @param kilobytes that are resident
 * @param live those of objects that a collection has left
 * @param small those of native memory that was asked for in small blocks, as the JVM counts them
 */
record Held(long kilobytes, long live, long small, int threads, int descriptors) {
    static final Path STATUS = Path.of("/proc/self/status");
    /** What the JVM calls memory that is not for itself. */
    private static final Pattern SMALL = Pattern.compile("- +Other \\(reserved=(\\d+)KB");

    private static Held now() throws Exception {
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
            return new Held(kilobytes, live, kilobytesOfSmall(), threads, (int) descriptors.count());
        }
    }

    private static long number(String line) {
        return Long.parseLong(line.replaceAll("\\D", ""));
    }

    private static long kilobytesOfSmall() throws Exception {
        Matcher matcher = SMALL.matcher(diagnostics("vmNativeMemory", "summary"));
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static String diagnostics(String command, String... arguments) throws Exception {
        boolean some = arguments.length > 0;
        return (String) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName("com.sun.management:type=DiagnosticCommand"),
                        command,
                        some ? new Object[] {arguments} : new Object[0],
                        some ? new String[] {String[].class.getName()} : new String[0]);
    }

    /** Without garbage, and without what the C library keeps for later: how much of both there is depends on the moment. */
    private static Held collected() throws Exception {
        System.gc();
        diagnostics("systemTrimNativeHeap");
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
                    Math.min(least.small, other.small),
                    other.threads,
                    other.descriptors);
        }
        return least;
    }

    @Override
    public String toString() {
        return kilobytes + " KB, " + live + " of them live objects, " + small + " small blocks, " + threads
                + " threads, " + descriptors + " descriptors";
    }
}
