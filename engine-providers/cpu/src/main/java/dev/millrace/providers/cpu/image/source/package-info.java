/** Utilities of the image decoders: bytes read in order, and limits to the extents that an image file may claim. */
@NullMarked
package dev.millrace.providers.cpu.image.source;

import org.jspecify.annotations.NullMarked;
