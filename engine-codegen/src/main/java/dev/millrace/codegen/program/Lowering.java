package dev.millrace.codegen.program;

import dev.millrace.codegen.code.Recording;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One way to make programs callable. */
public interface Lowering {
    /** Of fresh memory: a line of the cache. */
    long ALIGNMENT = 64;

    /** What its programs are written for. */
    Target target();

    /**
     * Makes programs callable, together, so that they lie close to each other.
     *
     * @return a kernel for each program, in their order
     * @throws IllegalArgumentException if a program needs more registers than the target has; the message names it
     */
    List<Kernel> lower(List<Program> programs);

    /**
     * A kernel that is wanted, but not at once: where machine code is written, that happens beside the caller, or at the
     * first call. What is wrong with the program is then said by that call.
     *
     * @param name of this program and no other
     */
    default Kernel lowerLater(String name, Supplier<Program> program) {
        return lower(List.of(program.get())).get(0);
    }

    /** Whether {@link #lowerLater} needs no program for a name, since its code is there. */
    default boolean isKept(String name) {
        return false;
    }

    /** Memory for the calls of one thread. */
    Memory newMemory();

    /** Fresh memory that kernels read and write; what it holds is not said. It is freed when nobody refers to it. */
    default MemorySegment allocate(long bytes) {
        return Blocks.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
    }

    /** For the calls of kernels of this lowering, or null where they cannot be made again by themselves. */
    default @Nullable Recording newRecording() {
        return null;
    }
}
