/**
 * Convolutions in fp32, direct or by Winograd, mostly over images in NCHWc, whose channels lie in blocks as wide as a
 * vector, and the kernels that convert between NCHW and NCHWc.
 */
@NullMarked
package dev.millrace.kernels.conv;

import org.jspecify.annotations.NullMarked;
