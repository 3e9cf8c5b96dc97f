/**
 * Exact convolutions of bytes over images whose channels are contiguous in each pixel (NHWC), with requantised results.
 */
@NullMarked
package dev.millrace.kernels.conv.bytes;

import org.jspecify.annotations.NullMarked;
