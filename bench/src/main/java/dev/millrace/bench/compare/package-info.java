/** The answers of the two sides, compared. */
@NullMarked
package dev.millrace.bench.compare;

import org.jspecify.annotations.NullMarked;
