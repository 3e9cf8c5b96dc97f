/**
 * The lowering of programs to bytecode on the Vector API, for machines on which the engine's own machine code cannot
 * run.
 */
@NullMarked
package dev.millrace.codegen.program.bytecode;

import org.jspecify.annotations.NullMarked;
