package dev.millrace.cli.stress;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;

/**
 * The resources that this process holds.
 *
 * @param kilobytes the resident memory
 * @param live the kilobytes of live objects after a collection
 * @param small the kilobytes of native memory in small blocks, as the JVM counts them
 */
record Held(long kilobytes, long live, long small, int threads, int descriptors) {
    static final Path STATUS = Path.of("/proc/self/status");
    /** The line of native memory tracking for memory that the JVM did not allocate for itself. */
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

    /**
     * Returns the present resources after a collection and after the C library has trimmed its heap: the amounts of
     * garbage and of cached memory depend on the moment.
     */
    private static Held collected() throws Exception {
        System.gc();
        diagnostics("systemTrimNativeHeap");
        return now();
    }

    /**
     * Returns the minimum of several measurements: which models are open differs from one to the next, and another
     * thread unmaps the memory of collected objects later.
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
