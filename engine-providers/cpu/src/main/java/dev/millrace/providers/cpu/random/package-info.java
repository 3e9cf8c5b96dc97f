/** Operators that draw random numbers. */
@NullMarked
package dev.millrace.providers.cpu.random;

import org.jspecify.annotations.NullMarked;
