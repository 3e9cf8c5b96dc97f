/** Operators on signals: Fourier transforms, windows, the mel scale. */
@NullMarked
package dev.millrace.providers.cpu.signal;

import org.jspecify.annotations.NullMarked;
