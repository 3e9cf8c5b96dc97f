package dev.millrace.scheduler.kernel;

/**
 * A kernel that sees its inputs before it knows its outputs: shapes that depend on data, sequences, optionals, control
 * flow. It allocates what it returns.
 */
@FunctionalInterface
public non-sealed interface DynamicKernel extends Kernel {
    void run(DynamicContext context);
}
