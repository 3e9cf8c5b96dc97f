package dev.millrace.session;

import dev.millrace.graph.EngineException;

/**
 * An inference that is no session itself and whose requests one session answers at a time: one that is batched, replaceable or
 * observed. Requests that build on each other, such as those of a generation, run on a session that it leases. An inference that
 * passes requests on to another one passes {@link #leaseOf} on as well.
 */
public interface SessionSource {
    /** Leases the session that answers now. */
    SessionLease lease();

    /**
     * Leases the session that answers an inference's requests now. Closing a session does not wait for leases of that session itself.
     *
     * @throws EngineException NOT_IMPLEMENTED if no single session answers them
     */
    static SessionLease leaseOf(Inference inference) {
        if (inference instanceof Session session) {
            return () -> session;
        }
        if (inference instanceof SessionSource source) {
            return source.lease();
        }
        throw EngineException.notImplemented("generation runs on one session, whose caches go from token to token, and "
                + inference.getClass().getSimpleName()
                + " gives none: pass the session itself, or one that is batched, replaceable or observed");
    }
}
