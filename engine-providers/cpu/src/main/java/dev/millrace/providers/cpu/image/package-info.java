/** Operators on images and other sampled grids: resizing, sampling at coordinates, patches, boxes, decoding. */
@NullMarked
package dev.millrace.providers.cpu.image;

import org.jspecify.annotations.NullMarked;
