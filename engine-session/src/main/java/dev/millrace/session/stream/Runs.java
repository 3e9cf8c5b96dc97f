package dev.millrace.session.stream;

import reactor.core.Disposable;
import reactor.util.context.ContextView;

/** What answers requests, each on a thread that is not the caller's, unless its receiver says that the caller waits. */
@FunctionalInterface
public interface Runs<Q, A> {
    /**
     * Has a request answered.
     *
     * @param context of who subscribed
     * @return stops the run; the receiver may hear of it nevertheless
     */
    Disposable start(Q request, ContextView context, Receiver<A> to);
}
