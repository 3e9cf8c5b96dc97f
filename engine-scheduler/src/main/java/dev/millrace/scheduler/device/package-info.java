/** Devices and what they own: memory, streams, notifications. */
@NullMarked
package dev.millrace.scheduler.device;

import org.jspecify.annotations.NullMarked;
