/**
 * Attention: softmax(Q K^T) V over heads by an online softmax, so that the scores are never stored as a whole; and
 * rotary position embeddings.
 */
@NullMarked
package dev.millrace.kernels.attention;

import org.jspecify.annotations.NullMarked;
