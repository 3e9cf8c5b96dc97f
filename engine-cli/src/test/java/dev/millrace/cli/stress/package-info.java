/** Enormous nodes, long runs and killed processes. */
@NullMarked
package dev.millrace.cli.stress;

import org.jspecify.annotations.NullMarked;
