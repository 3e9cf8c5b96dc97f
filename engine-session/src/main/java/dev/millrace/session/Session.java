package dev.millrace.session;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.run.StretchSummary;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A prepared model that callers run. Any number of threads may run it at a time. Every failure
 * is an {@link EngineException}.
 *
 * <p>Closing refuses new runs, lets accepted ones finish, and waits for them, as does every later call. Called from
 * within a run, by a listener or on the thread that delivers an answer of a {@link #mono} or {@link #flux}, it does not
 * wait: the last run closes the session. A closed session holds no memory; outputs that are still open stay readable.
 */
public interface Session extends Inference, AutoCloseable {
    /**
     * The session's name in messages: that of its options, or else the name of the model's file without its extension;
     * without a file, that of the model's graph.
     */
    String name();

    /** The label that distinguishes this session from others in meters and logs. */
    SessionLabel label();

    /**
     * Returns whether the session can answer, and its troubles: closed, overloaded, without its device or
     * its file, or failed the last time.
     */
    Health health();

    /** The model's descriptive metadata. */
    ModelMetadata metadata();

    /** The number of requests of {@code mono} and {@code flux} that wait. */
    int waiting();

    /**
     * Returns this session for sequences: {@code session.stateful(State.carry("stateN", "state"))}. The result has to
     * be closed, and does not close the session.
     */
    default StatefulSession stateful(State... states) {
        return stateful(StateOptions.defaults(), states);
    }

    StatefulSession stateful(StateOptions options, State... states);

    /** Returns this session with batching: requests of several callers become one run. */
    BatchedSession batched(BatchOptions options);

    /**
     * Runs on zeros of these shapes, so that later requests of the same shapes find everything prepared: memory,
     * programs, packed weights. Inputs whose shape the model fixes need no entry.
     *
     * @param shapes the shapes by the names of inputs
     */
    void warmUp(Map<String, Shape> shapes);

    /**
     * Gives back at once the memory that only a burst of runs needed, which a session otherwise does within seconds.
     * The memory for one run stays; runs under way are not disturbed.
     */
    void trim();

    /** The report of the session's creation: its partitions, its optimisations, the time that each phase took. */
    SessionReport report();

    /** Returns the memory plans of the shapes that were run lately. */
    List<StretchSummary> stretches();

    /**
     * Gives one of its providers options while runs go on. Which options there are, the provider says.
     *
     * @throws dev.millrace.graph.EngineException NOT_IMPLEMENTED where the provider has no such options
     */
    void setDynamicOptions(String provider, Map<String, String> options);

    /**
     * The devices that do parts of the model while the host goes on; empty where the host does all. {@link Tensor#on} copies
     * a tensor to one of them, and {@link RunOptions.Builder#leaveOnDevice} leaves an output there.
     */
    List<Device> devices();

    @Override
    void close();

    /**
     * Closes as {@link #close()} does, but waits for {@code limit} at most. After that, waiting requests fail with
     * CLOSED, and the runs of {@code mono} and {@code flux} under way are stopped; the last run closes the session.
     *
     * @return whether all accepted requests have ended in time
     */
    boolean close(Duration limit);
}
