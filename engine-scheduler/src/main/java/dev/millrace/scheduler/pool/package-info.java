/** The worker threads of the process. */
@NullMarked
package dev.millrace.scheduler.pool;

import org.jspecify.annotations.NullMarked;
