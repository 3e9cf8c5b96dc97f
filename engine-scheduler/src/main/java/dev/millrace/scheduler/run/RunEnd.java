package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import org.jspecify.annotations.Nullable;

/** Hears of the end of a run that was started, once, on a thread of the engine. */
public interface RunEnd {
    /** @param results the results in the plan's order, which are the caller's */
    void succeeded(Datum[] results);

    void failed(Throwable failure);

    /** Tells of the end of a run that has a result or a failure. */
    static void tell(RunEnd end, Datum @Nullable [] results, @Nullable Throwable failure) {
        if (results != null) {
            end.succeeded(results);
        } else if (failure != null) {
            end.failed(failure);
        }
    }
}
