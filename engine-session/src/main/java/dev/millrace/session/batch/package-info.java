/** Batched sessions: queues, the axes along which requests are joined and split, copies. */
@NullMarked
package dev.millrace.session.batch;

import org.jspecify.annotations.NullMarked;
