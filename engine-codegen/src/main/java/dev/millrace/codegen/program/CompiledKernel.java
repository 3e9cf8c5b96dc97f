package dev.millrace.codegen.program;

/** A program that can be called. Safe for use by several threads, unless its memory is not. */
public interface CompiledKernel {
    String name();

    /**
     * Runs to its end.
     *
     * @param memory made by {@link Lowering#newMemory} of the lowering that made this kernel, and asked for every
     *     pointer among the arguments
     */
    void call(Memory memory, long a, long b, long c, long d, long e, long f);
}
