package dev.millrace.bench.compare;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * The part of this process's memory that is the heap of its JVM. How much of a heap is resident
 * depends on what its collector found best to do, and on how much garbage there was at once; the rest
 * is what the program itself holds on to.
 */
public final class HeapMemory {
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");
    private static final Pattern ADDRESS = Pattern.compile("0x(\\p{XDigit}{16})");
    private static final Pattern MAPPING = Pattern.compile("(\\p{XDigit}+)-(\\p{XDigit}+) .*");
    private static final String RESIDENT = "Rss:";

    private HeapMemory() {}

    /** Returns the resident part of the heap, in KiB; 0 if the system does not report it. */
    public static long residentKib() throws IOException {
        return Files.isReadable(MAPPINGS) ? residentKib(Files.readAllLines(MAPPINGS), heap()) : 0;
    }

    /**
     * Returns the resident part of the heap by the lines of {@code smaps}.
     *
     * @param heap the JVM's description of its heap, with all the addresses
     */
    static long residentKib(List<String> mappings, String heap) {
        List<Long> addresses = ADDRESS.matcher(heap)
                .results()
                .map(found -> Long.parseUnsignedLong(found.group(1), 16))
                .sorted(Long::compareUnsigned)
                .toList();
        long kib = 0;
        boolean isHeap = false;
        for (String line : mappings) {
            var mapping = MAPPING.matcher(line);
            if (mapping.matches()) {
                isHeap = !addresses.isEmpty()
                        && Long.compareUnsigned(at(mapping.toMatchResult(), 1), addresses.getFirst()) >= 0
                        && Long.compareUnsigned(at(mapping.toMatchResult(), 2), addresses.getLast()) <= 0;
            } else if (isHeap && line.startsWith(RESIDENT)) {
                kib += Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return kib;
    }

    private static long at(MatchResult mapping, int group) {
        return Long.parseUnsignedLong(mapping.group(group), 16);
    }

    private static String heap() throws IOException {
        try {
            return (String) ManagementFactory.getPlatformMBeanServer()
                    .invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcHeapInfo", null, null);
        } catch (JMException e) {
            throw new IOException("the JVM does not say where its heap is", e);
        }
    }
}
