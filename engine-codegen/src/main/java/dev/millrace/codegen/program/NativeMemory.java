package dev.millrace.codegen.program;

import dev.millrace.memory.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The memory of kernels that take native addresses. It notes a segment of each shared arena, which another thread may
 * close, so that calls hold it. Memory that is garbage collected, or closed by the calling thread, need not be held.
 */
public final class NativeMemory implements Memory {
    /**
     * The class of shared scopes. The arena that supplies it is empty and not closed, as closing would stop all threads
     * for a moment.
     */
    private static final Class<?> SHARED = Arena.ofShared().scope().getClass();

    private MemorySegment @Nullable [] shared;
    private int arenas;

    @Override
    public long pointer(MemorySegment segment) {
        if (!segment.isNative()) {
            throw new IllegalArgumentException("kernels reach native memory only, not the heap: " + segment);
        }
        MemorySegment.Scope scope = segment.scope();
        if (!scope.isAlive()) {
            throw new IllegalStateException("the memory was freed: " + segment);
        }
        if (scope.getClass() == SHARED) {
            note(segment, scope);
        }
        return segment.address();
    }

    private void note(MemorySegment segment, MemorySegment.Scope scope) {
        MemorySegment[] noted = shared;
        if (noted == null) {
            noted = new MemorySegment[Calls.MOST_HELD];
            Arrays.fill(noted, MemorySegment.NULL);
            shared = noted;
        }
        for (int i = 0; i < arenas; i++) {
            if (noted[i].scope().equals(scope)) {
                return;
            }
        }
        if (arenas == Calls.MOST_HELD) {
            throw new IllegalArgumentException(
                    "the memory of a call is of more than " + Calls.MOST_HELD + " arenas that may be closed meanwhile");
        }
        noted[arenas++] = segment;
    }

    /**
     * Returns the segments that a call holds: one of each shared arena, filled up to {@link Calls#MOST_HELD} with
     * {@link MemorySegment#NULL}; null where there is none. Throws for the memory of another lowering.
     */
    public static MemorySegment @Nullable [] toHold(Memory memory, String kernel) {
        if (!(memory instanceof NativeMemory own)) {
            throw new IllegalArgumentException("the memory was not made for " + kernel);
        }
        return own.shared;
    }
}
