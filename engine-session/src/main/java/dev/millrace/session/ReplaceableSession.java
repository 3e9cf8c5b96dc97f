package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.stream.Receiver;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A session whose model can be replaced under load. The session that is current when a request is taken answers it, and
 * a replaced session finishes the requests that it has accepted before it is closed.
 */
public final class ReplaceableSession extends Streaming implements AutoCloseable {
    private volatile OpenSession current;
    private boolean closed;

    private ReplaceableSession(OpenSession first) {
        this.current = first;
    }

    /** Takes ownership of a session, which is closed with this. */
    public static ReplaceableSession of(Session first) {
        return new ReplaceableSession(OpenSession.of(first));
    }

    /** The current session. It may be replaced, and thereby closed, at any time. */
    public Session current() {
        return current;
    }

    /**
     * Makes {@code next} the current session, then closes the previous one, which waits for its runs. The next one
     * should take the same inputs: a request is not checked before the session that answers it is chosen.
     *
     * @throws EngineException if this is closed; {@code next} is closed then, too
     */
    public void replace(Session next) {
        OpenSession successor = OpenSession.of(next);
        OpenSession last;
        boolean refused;
        synchronized (this) {
            refused = closed;
            last = current;
            current = refused ? last : successor;
        }
        if (refused) {
            successor.close();
            throw OpenSession.closedException();
        }
        if (last != successor) {
            last.close();
        }
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        OpenSession session = current;
        Outputs outputs = session.runIfOpen(inputs, options);
        while (outputs == null) {
            session = successor(session);
            outputs = session.runIfOpen(inputs, options);
        }
        return outputs;
    }

    @Override
    Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        OpenSession session = current;
        Disposable started = session.startIfOpen(inputs, options, to);
        while (started == null) {
            if (current == session) {
                to.failed(OpenSession.closedException());
                return Disposables.disposed();
            }
            session = current;
            started = session.startIfOpen(inputs, options, to);
        }
        return started;
    }

    /** Returns the session that replaced a closed one; throws if none did. */
    private OpenSession successor(OpenSession closed) {
        OpenSession next = current;
        if (next == closed) {
            throw OpenSession.closedException();
        }
        return next;
    }

    @Override
    public int concurrency() {
        return current.concurrency();
    }

    /** The health of the current session. */
    public Health health() {
        return current.health();
    }

    /** Closes the current session. No other can take its place any more. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        current.close();
    }
}
