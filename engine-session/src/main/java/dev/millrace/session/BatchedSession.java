package dev.millrace.session;

/**
 * A session that answers several requests of {@code mono}, {@code flux} and {@code results}, from any
 * callers, with one run. A request that comes while nothing is under way runs at once, on the subscribing
 * thread if requests have come one at a time and take some microseconds; requests that come meanwhile gather.
 * No batches are formed while measurements say that they do not pay. Members of a batch that fails run alone,
 * and each gets its own answer or failure.
 *
 * <p>Requests whose options name outputs, a listener or tensors to write into run alone, and so does a
 * blocking {@code run}, on its caller's thread. The inputs of a batch are concatenated, and each request's
 * part of the outputs is copied out of it.
 */
public interface BatchedSession extends Inference {
    /**
     * Returns a session for sequences whose elements run together if they come at the same time, one of each sequence.
     * Their states are concatenated, which has to be along the axes of these batches. The result has to be closed.
     */
    default StatefulSession stateful(State... states) {
        return stateful(StateOptions.defaults(), states);
    }

    StatefulSession stateful(StateOptions options, State... states);
}
