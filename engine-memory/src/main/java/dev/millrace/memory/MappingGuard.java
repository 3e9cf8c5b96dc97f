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
 * Keeps the process alive where somebody cuts a file short that is mapped: the system answers the next read of a page that
 * is gone with a signal, SIGBUS, which ends a process that is in machine code then. On Linux on x86-64 a handler of our own
 * comes before the JVM's. Where the page is one of a {@linkplain #watch watched} mapping, it puts zeros there, from the page on to the
 * end of the mapping, takes note of it, and lets the code go on; all else it leaves to the JVM's.
 *
 * <p>It is there some milliseconds after the first file was mapped: another thread installs it, since the linker takes more time
 * than a model to be read. {@code -Dmillrace.guard=false} leaves it out.
 */
public final class MappingGuard {
    /** Leaves the guard out where it is {@code false}. */
    public static final String PROPERTY = "millrace.guard";

    private static final int SIGBUS = 7;
    /** {@code struct sigaction}: the handler, the signals that wait meanwhile, flags, and what the C library adds. */
    private static final int ACTION = 152;

    private static final int FLAGS = 136;
    /** The handler takes three arguments. */
    private static final int SA_SIGINFO = 4;

    private static final int MOST_MAPPINGS = 4096;

    /** What is watched, from the first file on that is mapped; null where there can be no guard. */
    private static final class Watched {
        static final @Nullable MappedRanges RANGES = isWanted() ? MappedRanges.ofRows(MOST_MAPPINGS) : null;
    }

    private static final class Installation {
        static final Thread THREAD = Thread.ofPlatform()
                .name("millrace-guard")
                .daemon()
                .start(() -> handles = Watched.RANGES != null && tryInstall(Watched.RANGES));

        /** Has it begin, where it has not. */
        static void begin() {}
    }

    private static volatile boolean handles;

    private MappingGuard() {}

    /** Whether this process has it, or can have it: the first question waits until it is there. */
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

    /** Whether files that are mapped are watched. */
    public static boolean isPossible() {
        return Watched.RANGES != null;
    }

    /** Whether it is there already, so that what is gone of a file can be asked for. */
    static boolean handles() {
        return handles;
    }

    /**
     * Watches a mapping until its arena closes.
     *
     * @param mapping whole pages of a file, and the first part of another
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

    /** Whether memory lies in a watched mapping of a file that was cut short since. */
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
            // the JVM's, of which all but the handler stays
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
