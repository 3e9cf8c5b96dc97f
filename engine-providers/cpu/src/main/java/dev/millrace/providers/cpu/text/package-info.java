/** Operators on strings. */
@NullMarked
package dev.millrace.providers.cpu.text;

import org.jspecify.annotations.NullMarked;
