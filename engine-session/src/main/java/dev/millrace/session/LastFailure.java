package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the last run of a session failed with, where that need not be its request's own fault. A run that is answered costs a
 * look at it. Thread-safe.
 */
final class LastFailure {
    /** What a request brings upon itself, and other requests do not feel. */
    private static final Set<Status> OWN =
            EnumSet.of(Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.CANCELLED, Status.DEADLINE_EXCEEDED);

    private volatile @Nullable EngineException failure;

    void answered() {
        if (failure != null) {
            failure = null;
        }
    }

    void failed(EngineException ended) {
        if (!OWN.contains(ended.status())) {
            failure = ended;
        }
    }

    @Nullable
    EngineException get() {
        return failure;
    }
}
