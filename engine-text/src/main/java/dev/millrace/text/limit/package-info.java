/** Limits of the time and memory that a file or a text may take. */
@NullMarked
package dev.millrace.text.limit;

import org.jspecify.annotations.NullMarked;
