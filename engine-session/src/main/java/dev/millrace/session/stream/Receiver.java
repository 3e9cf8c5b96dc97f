package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;

/** Who gets the answer of a run that happens later: one of the two, once. */
public interface Receiver<A> {
    /** The run begins now, on this thread. One that is refused before never does. */
    default void began() {
        // most wait for the end
    }

    /** Whether who starts the run waits on that same thread for its end, and might as well do it there. */
    default boolean isAwaited() {
        return false;
    }

    void answered(A answer);

    void failed(EngineException failure);
}
