/**
 * Kernel programs: small programs over vector registers, masks, pointers and counters, from which all lowerings start.
 *
 * <p>A {@link dev.millrace.codegen.program.Program} is made with a {@link dev.millrace.codegen.program.ProgramBuilder}
 * for a {@link dev.millrace.codegen.program.Target} and becomes callable through a {@link
 * dev.millrace.codegen.program.Lowering}. What each step computes is defined to the bit, so that all lowerings of a
 * program agree to the bit.
 */
@NullMarked
package dev.millrace.codegen.program;

import org.jspecify.annotations.NullMarked;
