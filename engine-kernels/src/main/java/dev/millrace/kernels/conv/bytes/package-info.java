/** Exact convolutions of bytes over images whose pixels have their channels side by side, with requantised results. */
@NullMarked
package dev.millrace.kernels.conv.bytes;

import org.jspecify.annotations.NullMarked;
