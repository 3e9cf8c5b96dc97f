package dev.millrace.graph.tensor;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Tells memory that lasts while it is reachable from memory that somebody may free while a kernel reads it. */
public final class LastingMemory {
    private static final Class<?> AUTOMATIC = Arena.ofAuto().scope().getClass();
    private static final Class<?> GLOBAL = Arena.global().scope().getClass();

    private LastingMemory() {}

    /** False where that is not sure: a kernel that reads freed memory takes the process with it. */
    public static boolean holds(MemorySegment segment) {
        Class<?> scope = segment.scope().getClass();
        return scope == AUTOMATIC || scope == GLOBAL;
    }
}
