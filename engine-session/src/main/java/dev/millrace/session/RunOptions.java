package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How one run is done.
 *
 * @param cancellation stops this run and no other
 * @param outputs the names of the outputs to return; empty for all
 * @param listener hears of the run's steps, beside the session's own listener
 * @param deadline when the run ends with DEADLINE_EXCEEDED, whether it waits or is under way; null for never
 * @param priority of a run that has to wait among those of its session: higher ones first
 * @param into tensors that outputs are written into, by the outputs' names
 */
public record RunOptions(
        Cancellation cancellation,
        List<String> outputs,
        @Nullable RunListener listener,
        @Nullable Instant deadline,
        int priority,
        Map<String, Tensor> into) {
    public RunOptions {
        Failures.given(cancellation, "cancellation");
        outputs = Failures.all(outputs, "outputs");
        into = Failures.all(into, "into");
    }

    /** All outputs, with a cancellation of its own. */
    public static RunOptions create() {
        return new RunOptions(new Cancellation(), List.of(), null, null, 0, Map.of());
    }

    public RunOptions cancelledBy(Cancellation switchedBy) {
        return new RunOptions(switchedBy, outputs, listener, deadline, priority, into);
    }

    public RunOptions returning(String... names) {
        return returning(Failures.each(names, "outputs"));
    }

    /** Returns these options with the outputs that are wanted; none of them means all. */
    public RunOptions returning(List<String> names) {
        return new RunOptions(cancellation, names, listener, deadline, priority, into);
    }

    public RunOptions heardBy(RunListener hearer) {
        return new RunOptions(cancellation, outputs, hearer, deadline, priority, into);
    }

    public RunOptions deadline(@Nullable Instant when) {
        return new RunOptions(cancellation, outputs, listener, when, priority, into);
    }

    /** A deadline so far from now. */
    public RunOptions within(Duration time) {
        return deadline(Deadline.after(Failures.given(time, "time")));
    }

    public RunOptions priority(int value) {
        return new RunOptions(cancellation, outputs, listener, deadline, value, into);
    }

    /**
     * Has an output written into the caller's memory: a direct buffer, shared memory, a place in a ring. The tensor has the
     * output's type and shape, and is what the run returns; closing the outputs leaves it open. The engine computes into memory
     * of its own and copies when the run ends, so it saves the caller's copy, not the engine's. Where a run fails the
     * tensor's content is undefined.
     */
    public RunOptions into(String output, Tensor tensor) {
        var all = new LinkedHashMap<>(into);
        if (all.put(output, Failures.given(tensor, "tensor")) != null) {
            throw EngineException.invalidArgument("output '" + output + "' is written into one tensor, not two");
        }
        return new RunOptions(cancellation, outputs, listener, deadline, priority, all);
    }
}
