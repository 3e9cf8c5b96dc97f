/** Operators that run nested graphs. */
@NullMarked
package dev.millrace.providers.cpu.control;

import org.jspecify.annotations.NullMarked;
