/** Binding of plans to shapes, and their runs: frames, stretches, streams and memory. */
@NullMarked
package dev.millrace.scheduler.run;

import org.jspecify.annotations.NullMarked;
