/** The comparison of a quantised model with its source, and the report on both as text and JSON. */
@NullMarked
package dev.millrace.cli.quantize;

import org.jspecify.annotations.NullMarked;
