package dev.millrace.session;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.run.StretchSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A model, ready to run. Any number of threads may run it at a time. All that goes wrong is an {@link EngineException}.
 *
 * <p>Closing refuses new runs, lets finish what was accepted, and waits for it, as every later call does. Called from
 * within a run, by a listener or on the thread that hands out an answer of a {@link #mono} or {@link #flux}, it does not
 * wait: the last run closes the session. A closed session holds no memory; outputs that are still open stay readable.
 */
public interface Session extends Inference, AutoCloseable {
    /** The inputs in the model's order. */
    List<ValueInfo> inputs();

    /** The outputs in the model's order. */
    List<ValueInfo> outputs();

    /** What messages call the session: by its options, or as the model's file is called; without a file, as the graph is. */
    String name();

    /** How meters and logs tell it from other sessions. */
    SessionLabel label();

    /** Whether it can answer: what is closed, overloaded, without its device or its file, or failed the last time. */
    Health health();

    /** What the model says of itself. */
    ModelMetadata metadata();

    /** How many requests of {@code mono} and {@code flux} wait. */
    int waiting();

    /**
     * This session for sequences: {@code session.stateful(State.carry("stateN", "state"))}. What is made has to be closed,
     * and does not close the session.
     */
    StatefulSession stateful(State... states);

    StatefulSession stateful(StateOptions how, State... states);

    /** This session where requests of many become one run. */
    BatchedSession batched(BatchOptions how);

    /**
     * Runs on zeros of these shapes, so that later requests of the same shapes find everything prepared: memory, programs,
     * packed weights. Inputs whose shape the model fixes need none.
     *
     * @param shapes by the names of inputs
     */
    void warmUp(Map<String, Shape> shapes);

    /**
     * Gives back at once what only a burst of runs needed, which a session otherwise does within seconds. What one run needs
     * stays; runs under way are not disturbed.
     */
    void trim();

    /** How the session came to be: its partitions, its optimisations, the time that each phase took. */
    SessionReport report();

    /** The memory plans of the shapes that were run lately. A closed session has none. */
    List<StretchSummary> stretches();

    @Override
    void close();

    /**
     * Closes as {@link #close()} does, and waits for so long at most. Then what waits fails with CLOSED, and the runs of
     * {@code mono} and {@code flux} that are under way are stopped; the last run closes the session.
     *
     * @return whether all that was accepted has ended in time
     */
    boolean close(Duration limit);
}
