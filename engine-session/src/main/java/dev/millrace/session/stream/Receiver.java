package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;

/** Who gets the answer of a run that happens later: one of the two, once. */
public interface Receiver<A> {
    void answered(A answer);

    void failed(EngineException failure);
}
