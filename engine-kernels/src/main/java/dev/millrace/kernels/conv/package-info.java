/**
 * Convolutions in fp32 over images whose channels lie in blocks as wide as a vector, and the kernels that bring images
 * into that order and back.
 */
@NullMarked
package dev.millrace.kernels.conv;

import org.jspecify.annotations.NullMarked;
