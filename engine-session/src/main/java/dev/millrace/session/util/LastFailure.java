package dev.millrace.session.util;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The failure of a session's last run, unless it was its request's own fault. A run that is
 * answered costs a read of it. Thread-safe.
 */
public final class LastFailure {
    /** The statuses of failures that a request causes itself, and that do not concern other requests. */
    private static final Set<Status> OWN =
            EnumSet.of(Status.INVALID_ARGUMENT, Status.NOT_FOUND, Status.CANCELLED, Status.DEADLINE_EXCEEDED);

    private volatile @Nullable EngineException failure;

    public void answered() {
        if (failure != null) {
            failure = null;
        }
    }

    public void failed(EngineException ended) {
        if (!OWN.contains(ended.status())) {
            failure = ended;
        }
    }

    @Nullable
    public EngineException get() {
        return failure;
    }
}
