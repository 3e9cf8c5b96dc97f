package dev.millrace.codegen.code;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Which emitted code lies where. A crash log names a program counter only; this names the kernel.
 *
 * <p>Safe for use by several threads.
 */
public final class CodeMap {
    private record Range(long end, String name) {}

    private final ConcurrentSkipListMap<Long, Range> ranges = new ConcurrentSkipListMap<>();
    private final @Nullable Path perfMap;

    /** @param perfMap a file to which each function is appended as Linux' perf reads it, or null */
    public CodeMap(@Nullable Path perfMap) {
        this.perfMap = perfMap;
    }

    /** The file where perf looks for the functions of this process. */
    public static Path perfMapOfThisProcess() {
        return Path.of("/tmp/perf-" + ProcessHandle.current().pid() + ".map");
    }

    void add(MachineFunction function) {
        long start = function.address();
        ranges.put(start, new Range(start + function.byteSize(), function.name()));
        if (perfMap != null) {
            append(perfMap, String.format("%x %x %s%n", start, function.byteSize(), function.name()));
        }
    }

    /** Anybody can put a link under a name in a temporary folder, so links are not followed. */
    static synchronized void append(Path file, String line) {
        try {
            Files.writeString(
                    file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the map of emitted code for perf, " + file, e);
        }
    }

    void remove(MachineFunction function) {
        ranges.remove(function.address());
    }

    /** The function at an address and the distance from its start ({@code gemm+1f}), or null if none is there. */
    public @Nullable String describe(long address) {
        Map.Entry<Long, Range> entry = ranges.floorEntry(address);
        if (entry == null || address >= entry.getValue().end()) {
            return null;
        }
        return entry.getValue().name() + "+" + Long.toHexString(address - entry.getKey());
    }

    /** One line for each function: start, end, name. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        ranges.forEach((start, range) -> text.append(Long.toHexString(start))
                .append(' ')
                .append(Long.toHexString(range.end()))
                .append(' ')
                .append(range.name())
                .append('\n'));
        return text.toString();
    }
}
