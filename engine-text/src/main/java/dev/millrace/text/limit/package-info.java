/** Bounds on what a file or a text may cost. */
@NullMarked
package dev.millrace.text.limit;

import org.jspecify.annotations.NullMarked;
