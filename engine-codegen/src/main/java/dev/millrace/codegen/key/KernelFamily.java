package dev.millrace.codegen.key;

import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;

/** Kernels of one description with different parameters. */
public interface KernelFamily {
    /**
     * Describes the member that a key names.
     *
     * @throws IllegalArgumentException if a parameter is missing, unknown or out of range; the message names it
     */
    Program describe(KernelKey key, Target target);
}
