package dev.millrace.codegen.program;

import dev.millrace.memory.call.Calls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Memory of kernels that take addresses as they are. What another thread may free is noted, for calls to hold: one segment
 * of each shared arena. What is collected, or freed by the thread that calls, needs no holding.
 */
public final class NativeMemory implements Memory {
    /** Nothing is in the arena that is asked for it: closing it would only stop all threads for a moment. */
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
     * What a call has to hold: a segment of each shared arena, {@link Calls#MOST_HELD} in all, those that are missing being
     * {@link MemorySegment#NULL}; null where there is nothing. The memory of another lowering is refused.
     */
    public static MemorySegment @Nullable [] toHold(Memory memory, String kernel) {
        if (!(memory instanceof NativeMemory own)) {
            throw new IllegalArgumentException("the memory was not made for " + kernel);
        }
        return own.shared;
    }
}
