package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;

/** The receiver of an asynchronous run's answer or failure: one of the two, once. */
public interface Receiver<A> {
    /** Called when the run begins, on its thread; never called for a run that is refused before. */
    default void began() {
        // most receivers only need the end
    }

    /** Whether the caller waits on the starting thread for the run's end, so that it might as well run there. */
    default boolean isAwaited() {
        return false;
    }

    void answered(A answer);

    void failed(EngineException failure);
}
