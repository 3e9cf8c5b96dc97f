/** What a run tells: to flight recordings and to trace files. */
@NullMarked
package dev.millrace.scheduler.event;

import org.jspecify.annotations.NullMarked;
