/** Normalisation of texts before they are split, and alignment of the result with the original. */
@NullMarked
package dev.millrace.text.normal;

import org.jspecify.annotations.NullMarked;
