/** Operators that slide a window: convolutions and pooling. */
@NullMarked
package dev.millrace.providers.cpu.window;

import org.jspecify.annotations.NullMarked;
