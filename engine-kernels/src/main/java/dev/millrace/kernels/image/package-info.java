/**
 * Types that convolutions and pooling share: the axes of sliding windows, the layout of images in blocks of channels
 * (NCHWc), and the epilogues of sums.
 */
@NullMarked
package dev.millrace.kernels.image;

import org.jspecify.annotations.NullMarked;
