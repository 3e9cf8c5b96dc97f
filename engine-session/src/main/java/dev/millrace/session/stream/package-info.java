/**
 * Asynchronous execution of requests: queues, threads, {@code Mono} and {@code Flux}. Requests and answers are type
 * parameters, which the sessions in {@code dev.millrace.session} fill in.
 */
@NullMarked
package dev.millrace.session.stream;

import org.jspecify.annotations.NullMarked;
