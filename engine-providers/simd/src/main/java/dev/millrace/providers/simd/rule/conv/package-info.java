/** Rules of float convolutions: direct, depthwise, transposed, sub-pixel, of signals, of Fourier transforms. */
@NullMarked
package dev.millrace.providers.simd.rule.conv;

import org.jspecify.annotations.NullMarked;
