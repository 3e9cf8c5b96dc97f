/**
 * Kernels described once: small programs over vector registers, masks, pointers and counters.
 *
 * <p>A {@link dev.millrace.kernels.program.Program} is made with a {@link dev.millrace.kernels.program.ProgramBuilder}
 * for a {@link dev.millrace.kernels.program.Target} and becomes callable through a
 * {@link dev.millrace.kernels.program.Lowering}. What each step computes is defined to the bit, so that all lowerings
 * of a program agree to the bit.
 */
@NullMarked
package dev.millrace.kernels.program;

import org.jspecify.annotations.NullMarked;
