/** One run: its frame, its streams, its end. */
@NullMarked
package dev.millrace.scheduler.run;

import org.jspecify.annotations.NullMarked;
