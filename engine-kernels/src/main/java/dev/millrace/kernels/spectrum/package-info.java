/** Spectra of signals by fast Fourier transforms, window after window. */
@NullMarked
package dev.millrace.kernels.spectrum;

import org.jspecify.annotations.NullMarked;
