/** Quantisation of the weights of a model: matrix products and embeddings with 4-bit or 8-bit weights. */
@NullMarked
package dev.millrace.graph.quantize;

import org.jspecify.annotations.NullMarked;
