/** Attention: softmax(Q K^T) V over heads, without ever writing all of the scores. */
@NullMarked
package dev.millrace.kernels.attention;

import org.jspecify.annotations.NullMarked;
