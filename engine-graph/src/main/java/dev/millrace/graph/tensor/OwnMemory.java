package dev.millrace.graph.tensor;

import com.sun.management.HotSpotDiagnosticMXBean;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/**
 * Native memory that the garbage collector reclaims. More than the JVM may ever have is refused at once: the JDK would
 * collect garbage for seconds, on a thread that cannot be cancelled, before it says so.
 */
public final class OwnMemory {
    private OwnMemory() {}

    /** How much native memory the JVM may have, as its options say. */
    private static final class Limit {
        static final long BYTES = find();

        private static long find() {
            var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            long given = Long.parseLong(
                    diagnostics.getVMOption("MaxDirectMemorySize").getValue());
            return given == 0 ? Runtime.getRuntime().maxMemory() : given;
        }
    }

    /** Zeroed memory. Throws (FAIL) where there can never be so much, OutOfMemoryError where there isn't now. */
    public static MemorySegment allocate(long bytes, long alignment) {
        // only a limit that was raised is worth the time that the JDK takes to look it up
        if (bytes > Runtime.getRuntime().maxMemory() && bytes > Limit.BYTES) {
            throw new EngineException(
                    Status.FAIL,
                    "there is no memory for " + bytes + " bytes, since the JVM may have " + Limit.BYTES
                            + " outside of its heap; raise -XX:MaxDirectMemorySize, or run smaller inputs");
        }
        return Arena.ofAuto().allocate(bytes, alignment);
    }
}
