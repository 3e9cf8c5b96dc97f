/**
 * JPEG 2000 images (ISO/IEC 15444-1): {@link Jpeg2000} reads files, {@link Codestream} markers, {@link Tile} assembles
 * one tile, {@link PacketReader} parses its packets and {@link BlockDecoder} decodes their blocks.
 */
@NullMarked
package dev.millrace.providers.cpu.image.jpeg2000;

import org.jspecify.annotations.NullMarked;
