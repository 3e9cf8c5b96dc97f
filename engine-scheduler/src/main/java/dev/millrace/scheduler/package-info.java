/// Devices, memory, streams, notifications and frames.
@NullMarked
package dev.millrace.scheduler;

import org.jspecify.annotations.NullMarked;
