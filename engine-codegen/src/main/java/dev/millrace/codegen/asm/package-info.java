/**
 * An assembler for x86-64: general purpose, VEX (AVX, AVX2, FMA, F16C, BMI) and EVEX (AVX-512) instructions.
 *
 * <p>Instructions are data. Each {@link dev.millrace.codegen.asm.Op} is a row of a table (prefix, map, opcode, operand
 * roles and kinds) in the notation of {@link dev.millrace.codegen.asm.Form}, and one encoder serves all of them.
 *
 * <p>The first kernel of a process waits for this code to run cold. That is why the path from {@code emit} to the last
 * byte has no lambda, no pattern switch and no string concatenation: each costs milliseconds at its first use.
 */
@NullMarked
package dev.millrace.codegen.asm;

import org.jspecify.annotations.NullMarked;
