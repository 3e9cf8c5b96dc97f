/** Windows that slide over each channel separately, in fp32: depthwise convolution and pooling. */
@NullMarked
package dev.millrace.kernels.pool;

import org.jspecify.annotations.NullMarked;
