/**
 * How requests become answers later: queues, threads, Mono and Flux. It knows requests and answers only by their types; what
 * they are is said by the sessions above.
 */
@NullMarked
package dev.millrace.session.stream;

import org.jspecify.annotations.NullMarked;
