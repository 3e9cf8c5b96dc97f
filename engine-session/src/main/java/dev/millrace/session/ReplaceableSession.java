package dev.millrace.session;

import dev.millrace.graph.EngineException;

/**
 * A session whose model can be replaced under load. The session that is current when a request is taken answers it, and
 * a replaced session finishes the requests that it has accepted before it is closed. A generation ends on the session on which it
 * began.
 */
public interface ReplaceableSession extends Inference, SessionSource, AutoCloseable {
    /** Takes ownership of a session, which is closed with this. */
    static ReplaceableSession of(Session first) {
        return Implementations.<Session, ReplaceableSession>named("runtime.ReplaceableSessionFactory")
                .apply(first);
    }

    /** The current session. It may be replaced, and thereby closed, at any time. */
    Session current();

    /**
     * Makes {@code next} the current session, then closes the previous one, which waits for its runs. If the previous one is
     * leased ({@link #lease}), this does not wait, and the last lease closes that session. The next one
     * should take the same inputs: a request is not checked before the session that answers it is chosen.
     *
     * @throws EngineException if this is closed; {@code next} is closed then, too
     */
    void replace(Session next);

    /** The health of the current session. */
    Health health();

    /** Closes the current session, and those that are still leased. No other can take its place any more. */
    @Override
    void close();
}
