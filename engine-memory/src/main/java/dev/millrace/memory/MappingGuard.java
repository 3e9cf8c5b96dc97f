package dev.millrace.memory;

import dev.millrace.memory.call.Calls;
import dev.millrace.memory.call.FaultHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the process alive when a mapped file is truncated. The operating system answers the next read of a missing page
 * with the signal SIGBUS, which ends a process that is in machine code at that time. On Linux on x86-64 the engine
 * installs its own handler before the JVM's. For a page of a {@linkplain #watch watched} mapping the handler maps zeros
 * from that page to the end of the mapping, counts the fault, and lets the code continue; all other faults go to the
 * JVM's handler.
 *
 * <p>The handler is installed some milliseconds after the first file was mapped, by another thread, since the linker
 * takes more time than reading a model. {@code -Dmillrace.guard=false} disables it.
 */
public final class MappingGuard {
    /** The system property that disables the guard where it is {@code false}. */
    public static final String PROPERTY = "millrace.guard";

    private static final int SIGBUS = 7;
    /**
     * The size of {@code struct sigaction}: the handler, the mask of blocked signals, flags, and the C library's own
     * fields.
     */
    private static final int ACTION = 152;

    private static final int FLAGS = 136;
    /** The flag of handlers that take three arguments. */
    private static final int SA_SIGINFO = 4;

    private static final int MOST_MAPPINGS = 4096;

    /** The watched ranges, allocated when the first file is mapped; null where there can be no guard. */
    private static final class Watched {
        static final @Nullable MappedRanges RANGES = isWanted() ? MappedRanges.ofRows(MOST_MAPPINGS) : null;
    }

    private static final class Installation {
        static final Thread THREAD = Thread.ofPlatform()
                .name("millrace-guard")
                .daemon()
                .start(() -> handles = Watched.RANGES != null && tryInstall(Watched.RANGES));

        /** Starts the installation unless it has started. */
        static void begin() {}
    }

    private static volatile boolean handles;

    private MappingGuard() {}

    /** Whether this process has the handler; the first call waits for its installation. */
    public static boolean isThere() {
        boolean interrupted = false;
        while (Watched.RANGES != null && Installation.THREAD.isAlive()) {
            try {
                Installation.THREAD.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return handles;
    }

    /** Whether mapped files are watched. */
    public static boolean isPossible() {
        return Watched.RANGES != null;
    }

    /** Whether the handler is installed already, so that missing pages can be read. */
    static boolean handles() {
        return handles;
    }

    /**
     * Watches a mapping until its arena closes.
     *
     * @param mapping pages of a file, of which the last may be used in part
     * @return null where there is no guard, or too many mappings
     */
    public static @Nullable WatchedMapping watch(MemorySegment mapping, Arena arena) {
        MappedRanges ranges = mapping.byteSize() == 0 ? null : Watched.RANGES;
        if (ranges == null) {
            return null;
        }
        Installation.begin();
        long end = Pages.roundUp(mapping.address() + mapping.byteSize());
        WatchedMapping watched = ranges.add(mapping.address(), end, () -> WatchedMapping.sign(mapping));
        if (watched != null) {
            MemorySegment.NULL.reinterpret(arena, _ -> ranges.remove(watched));
        }
        return watched;
    }

    /** Whether memory lies in a watched mapping of a file that was truncated since. */
    public static boolean isDamaged(MemorySegment memory) {
        MappedRanges ranges = memory.isMapped() ? Watched.RANGES : null;
        WatchedMapping mapping = ranges == null ? null : ranges.at(memory.address());
        return mapping != null && mapping.isDamaged();
    }

    private static boolean isWanted() {
        return System.getProperty("os.name").equals("Linux")
                && System.getProperty("os.arch").equals("amd64")
                && !"false".equals(System.getProperty(PROPERTY))
                && MappingGuard.class.getModule().isNativeAccessEnabled();
    }

    private static boolean tryInstall(MappedRanges ranges) {
        try {
            return Pages.areThere() && install(ranges);
        } catch (RuntimeException | LinkageError | OutOfMemoryError refused) {
            return false;
        }
    }

    private static boolean install(MappedRanges ranges) {
        Optional<MemorySegment> sigaction =
                Linker.nativeLinker().defaultLookup().find("sigaction");
        if (sigaction.isEmpty()) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment action = arena.allocate(ACTION, 8);
            // the JVM's action, of which only the handler is replaced
            if (Calls.call(sigaction.get(), SIGBUS, 0, action.address(), 0, 0, 0) != 0) {
                return false;
            }
            ByteBuffer fields = action.asByteBuffer().order(ByteOrder.nativeOrder());
            if ((fields.getInt(FLAGS) & SA_SIGINFO) == 0) {
                return false;
            }
            byte[] code = FaultHandler.code(ranges.address(), fields.getLong(0));
            MemorySegment handler = Pages.map(code.length, Arena.global());
            handler.asSlice(0, code.length).copyFrom(MemorySegment.ofArray(code));
            if (!Pages.protect(handler, Pages.Protection.READ_EXECUTE)) {
                return false;
            }
            fields.putLong(0, handler.address());
            return Calls.call(sigaction.get(), SIGBUS, action.address(), 0, 0, 0, 0) == 0;
        }
    }
}
