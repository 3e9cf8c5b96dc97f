package dev.millrace.kernels.family;

import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.Target;

/** Kernels of one description with different parameters. */
public interface KernelFamily {
    /**
     * Describes the member that a key names.
     *
     * @throws IllegalArgumentException if a parameter is missing, unknown or out of range; the message names it
     */
    Program describe(KernelKey key, Target target);
}
