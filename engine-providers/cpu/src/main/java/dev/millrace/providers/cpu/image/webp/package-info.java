/**
 * WebP images: {@link WebP} reads the container, {@link Vp8Frame} key frames of VP8 (RFC 6386), {@link Lossless} the
 * lossless format (RFC 9649).
 */
@NullMarked
package dev.millrace.providers.cpu.image.webp;

import org.jspecify.annotations.NullMarked;
