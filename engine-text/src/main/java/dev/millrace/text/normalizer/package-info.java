/** Normalisation of texts before they are split, and alignment of the result with the original. */
@NullMarked
package dev.millrace.text.normalizer;

import org.jspecify.annotations.NullMarked;
