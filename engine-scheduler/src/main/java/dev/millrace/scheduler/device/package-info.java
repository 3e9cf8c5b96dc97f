/** Devices with their memory, streams and notifications. */
@NullMarked
package dev.millrace.scheduler.device;

import org.jspecify.annotations.NullMarked;
