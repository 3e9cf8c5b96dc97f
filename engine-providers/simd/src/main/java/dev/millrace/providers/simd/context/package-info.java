/** The plan format: compiled partitions written into context binaries, and read again. */
@NullMarked
package dev.millrace.providers.simd.context;

import org.jspecify.annotations.NullMarked;
