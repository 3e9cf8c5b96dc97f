/** Short-time Fourier transforms of signals: fast Fourier transforms of overlapping frames under a window. */
@NullMarked
package dev.millrace.kernels.fft;

import org.jspecify.annotations.NullMarked;
