/** The interpreter of programs: the reference of the other lowerings, and the last fallback. */
@NullMarked
package dev.millrace.codegen.program.plain;

import org.jspecify.annotations.NullMarked;
