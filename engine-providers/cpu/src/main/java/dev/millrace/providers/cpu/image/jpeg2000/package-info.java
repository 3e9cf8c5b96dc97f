/**
 * JPEG 2000 images (ISO/IEC 15444-1): {@link Jpeg2000} reads files, {@link Codestream} markers, {@link Tile} puts one
 * tile together, {@link PacketReader} takes its packets apart and {@link BlockDecoder} decodes their blocks.
 */
@NullMarked
package dev.millrace.providers.cpu.image.jpeg2000;

import org.jspecify.annotations.NullMarked;
