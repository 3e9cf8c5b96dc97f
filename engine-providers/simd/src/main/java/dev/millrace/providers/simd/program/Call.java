package dev.millrace.providers.simd.program;

/** A step on the memory of one run. */
@FunctionalInterface
public interface Call {
    void run(ParallelContext crew);
}
