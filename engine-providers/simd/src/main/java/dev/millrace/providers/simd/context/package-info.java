/** What is kept of compiled partitions, and how it is found again. */
@NullMarked
package dev.millrace.providers.simd.context;

import org.jspecify.annotations.NullMarked;
