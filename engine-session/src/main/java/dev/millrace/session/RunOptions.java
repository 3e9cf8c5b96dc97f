package dev.millrace.session;

import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How one run is done.
 *
 * @param cancellation stops this run and no other
 * @param outputs the names of the outputs to return; empty for all
 * @param listener hears of the run's steps, beside the session's own listener
 */
public record RunOptions(
        Cancellation cancellation,
        List<String> outputs,
        @Nullable RunListener listener) {
    public RunOptions {
        outputs = List.copyOf(outputs);
    }

    /** All outputs, with a cancellation of its own. */
    public static RunOptions create() {
        return new RunOptions(new Cancellation(), List.of(), null);
    }

    public RunOptions cancelledBy(Cancellation switchedBy) {
        return new RunOptions(switchedBy, outputs, listener);
    }

    public RunOptions returning(String... names) {
        return new RunOptions(cancellation, List.of(names), listener);
    }

    public RunOptions heardBy(RunListener hearer) {
        return new RunOptions(cancellation, outputs, hearer);
    }
}
