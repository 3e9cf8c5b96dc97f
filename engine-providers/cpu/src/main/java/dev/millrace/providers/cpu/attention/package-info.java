/** Attention and what goes with it. */
@NullMarked
package dev.millrace.providers.cpu.attention;

import org.jspecify.annotations.NullMarked;
