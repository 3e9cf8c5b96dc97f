package dev.millrace.codegen.program;

import dev.millrace.codegen.code.Recording;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A compiler of programs to callable kernels. */
public interface Lowering {
    /** The alignment of allocated memory in bytes, a cache line. */
    long ALIGNMENT = 64;

    /** The target of its programs. */
    Target target();

    /**
     * Compiles programs together, so that their code is close in memory.
     *
     * @return a kernel for each program, in their order
     * @throws IllegalArgumentException if a program needs more registers than the target has; the message names it
     */
    List<CompiledKernel> lower(List<Program> programs);

    /**
     * Returns a kernel that is compiled later: a lowering to machine code does that on another thread, or at the first
     * call. An error in the program is thrown by that call.
     *
     * @param name the name of this program and of no other
     */
    default CompiledKernel lowerLater(String name, Supplier<Program> program) {
        return lower(List.of(program.get())).get(0);
    }

    /** Whether {@link #lowerLater} needs no program for a name, since its code is stored. */
    default boolean isKept(String name) {
        return false;
    }

    /** Creates a memory for the calls of one thread. */
    Memory newMemory();

    /** Allocates memory that kernels read and write, with undefined content. It is freed when it is unreachable. */
    default MemorySegment allocate(long bytes) {
        return Blocks.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
    }

    /** Creates a recording for calls of kernels of this lowering; null where they cannot be replayed. */
    default @Nullable Recording newRecording() {
        return null;
    }
}
