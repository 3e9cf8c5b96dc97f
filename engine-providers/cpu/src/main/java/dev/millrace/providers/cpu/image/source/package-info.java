/** What the decoders of image files share: bytes in order, and how large an image a file may claim to be. */
@NullMarked
package dev.millrace.providers.cpu.image.source;

import org.jspecify.annotations.NullMarked;
