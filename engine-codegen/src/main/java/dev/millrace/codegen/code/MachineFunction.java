package dev.millrace.codegen.code;

import dev.millrace.memory.call.Calls;
import java.lang.foreign.MemorySegment;

/**
 * Machine code that can be called. A call after its {@link CodeArena} was closed throws {@link IllegalStateException}.
 *
 * <p>There is no net under a call: who calls has checked every address and extent.
 */
public final class MachineFunction {
    private final String name;
    private final MemorySegment code;

    MachineFunction(String name, MemorySegment code) {
        this.name = name;
        this.code = code;
    }

    public String name() {
        return name;
    }

    public long address() {
        return code.address();
    }

    public long byteSize() {
        return code.byteSize();
    }

    /** Calls it in the way of any native function: the garbage collector need not wait for its end. */
    public long call(long a, long b, long c, long d, long e, long f) {
        return Calls.call(code, a, b, c, d, e, f);
    }

    /**
     * Calls it while nobody can close the arenas of some segments.
     *
     * @param held {@link Calls#MOST_HELD} segments
     * @throws IllegalStateException if one of them is closed already
     */
    public long callHolding(MemorySegment[] held, long a, long b, long c, long d, long e, long f) {
        return Calls.callHolding(code, held, a, b, c, d, e, f);
    }

    @Override
    public String toString() {
        return name + "@" + Long.toHexString(address());
    }
}
