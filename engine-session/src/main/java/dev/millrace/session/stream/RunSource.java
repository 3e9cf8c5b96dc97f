package dev.millrace.session.stream;

import reactor.core.Disposable;
import reactor.util.context.ContextView;

/**
 * A source of answers that runs each request on a thread other than the caller's, unless its
 * receiver says that the caller waits.
 */
@FunctionalInterface
public interface RunSource<Q, A> {
    /**
     * Starts the run of a request.
     *
     * @param context the context of the subscriber
     * @return a handle that stops the run; the receiver may be called nevertheless
     */
    Disposable start(Q request, ContextView context, Receiver<A> to);
}
