/** The lowering of programs to machine code for x86-64: AVX2 with FMA, and AVX-512. */
@NullMarked
package dev.millrace.codegen.program.x86;

import org.jspecify.annotations.NullMarked;
