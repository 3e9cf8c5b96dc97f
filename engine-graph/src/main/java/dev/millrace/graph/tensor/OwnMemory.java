package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;

/**
 * Allocates native memory that the garbage collector reclaims. More than the JVM may ever have is refused at once: the
 * JVM itself would first collect garbage for a while, on a thread that cannot be cancelled.
 */
public final class OwnMemory {
    private OwnMemory() {}

    /**
     * Allocates zeroed memory. Throws (FAIL) where there can never be so much, OutOfMemoryError where there is not now.
     */
    public static MemorySegment allocate(long bytes, long alignment) {
        checkPossible(bytes);
        return Blocks.allocate(bytes, alignment);
    }

    /**
     * Reserves zeroed memory that is not written for some time: see {@link Blocks#reserve}. Throws like {@link
     * #allocate}.
     */
    public static MemorySegment reserve(long bytes, long alignment) {
        checkPossible(bytes);
        return Blocks.reserve(bytes, alignment);
    }

    private static void checkPossible(long bytes) {
        // only a limit that was raised is worth the time that the JDK takes to look it up
        if (bytes > Runtime.getRuntime().maxMemory() && bytes > Blocks.limit()) {
            throw new EngineException(
                    Status.FAIL,
                    "there is no memory for " + bytes + " bytes, since the JVM may have " + Blocks.limit()
                            + " outside of its heap; raise -XX:MaxDirectMemorySize, or run smaller inputs");
        }
    }
}
