/** What convolutions and pooling share: windows that slide, blocks of channels, expressions that follow sums. */
@NullMarked
package dev.millrace.kernels.image;

import org.jspecify.annotations.NullMarked;
