/** Lowers programs to bytecode on the Vector API, which the JVM turns into machine code where ours cannot run. */
@NullMarked
package dev.millrace.codegen.program.bytecode;

import org.jspecify.annotations.NullMarked;
