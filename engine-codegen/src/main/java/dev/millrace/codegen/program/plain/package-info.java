/** Runs programs in Java, step by step: the oracle of the other lowerings, and the last fallback. */
@NullMarked
package dev.millrace.codegen.program.plain;

import org.jspecify.annotations.NullMarked;
