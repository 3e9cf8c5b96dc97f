package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a stream of requests is worked off.
 *
 * @param concurrency how many runs are under way at once; 0 for as many as the session's options say
 * @param ordered whether answers come in the order of the requests, or as they are there
 * @param prefetch how many answers are made ready before somebody asks for them
 * @param deadline how long a request may take, from when it was taken until it is answered; null for as long as it takes
 * @param outputs the names of the outputs to return; empty for all
 * @param priority of the runs among those of their session that wait: higher ones first
 * @param retries how often a request that a full queue refused is tried again, after 1 ms, 2 ms, 4 ms and so on. Nothing else
 *     is retried: what else fails would fail again.
 */
public record FluxOptions(
        int concurrency,
        boolean ordered,
        int prefetch,
        @Nullable Duration deadline,
        List<String> outputs,
        int priority,
        int retries) {
    public FluxOptions {
        outputs = Failures.all(outputs, "outputs");
        if (concurrency < 0 || prefetch < 0 || retries < 0) {
            throw EngineException.invalidArgument("concurrency " + concurrency + ", prefetch " + prefetch
                    + " and retries " + retries + " are not negative");
        }
    }

    public static FluxOptions defaults() {
        return new FluxOptions(0, true, 0, null, List.of(), 0, 0);
    }

    public FluxOptions concurrency(int value) {
        return new FluxOptions(value, ordered, prefetch, deadline, outputs, priority, retries);
    }

    /** Answers as they are there; {@link Inference#results} says which request each is of. */
    public FluxOptions unordered() {
        return new FluxOptions(concurrency, false, prefetch, deadline, outputs, priority, retries);
    }

    public FluxOptions prefetch(int value) {
        return new FluxOptions(concurrency, ordered, value, deadline, outputs, priority, retries);
    }

    public FluxOptions deadline(@Nullable Duration value) {
        return new FluxOptions(concurrency, ordered, prefetch, value, outputs, priority, retries);
    }

    public FluxOptions returning(String... names) {
        List<String> returned = Failures.each(names, "outputs");
        return new FluxOptions(concurrency, ordered, prefetch, deadline, returned, priority, retries);
    }

    public FluxOptions priority(int value) {
        return new FluxOptions(concurrency, ordered, prefetch, deadline, outputs, value, retries);
    }

    public FluxOptions retries(int value) {
        return new FluxOptions(concurrency, ordered, prefetch, deadline, outputs, priority, value);
    }

    /** Returns the options of a request that is taken now: its outputs, priority, and the deadline counted from now. */
    public RunOptions forRun() {
        RunOptions options = RunOptions.create().returning(outputs).priority(priority);
        return deadline == null ? options : options.within(deadline);
    }
}
