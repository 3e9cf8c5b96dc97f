/** The pool of worker threads and the parallel loops that they process. */
@NullMarked
package dev.millrace.scheduler.pool;

import org.jspecify.annotations.NullMarked;
