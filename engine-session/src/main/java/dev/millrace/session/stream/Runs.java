package dev.millrace.session.stream;

import dev.millrace.scheduler.Cancellation;

/** What answers requests, each on a thread that is not the caller's. */
@FunctionalInterface
public interface Runs<Q, A> {
    void start(Q request, Cancellation cancellation, Receiver<A> to);
}
