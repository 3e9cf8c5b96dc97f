/** Events of runs: listeners, flight recordings (JFR) and trace files. */
@NullMarked
package dev.millrace.scheduler.event;

import org.jspecify.annotations.NullMarked;
