package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.stream.Receiver;
import reactor.core.Disposable;
import reactor.core.Disposables;

/**
 * A session whose model can be replaced under load: each request is answered by the session that is current when it is taken,
 * and a session that is replaced finishes what it has accepted before it is closed.
 */
public final class ReplaceableSession extends Streaming implements AutoCloseable {
    private volatile OpenSession current;
    private boolean closed;

    private ReplaceableSession(OpenSession first) {
        this.current = first;
    }

    /** Takes a session over: whoever has this closes it with this. */
    public static ReplaceableSession of(Session first) {
        return new ReplaceableSession(OpenSession.of(first));
    }

    /** The session that answers now. It may be replaced at any time, and then it is closed. */
    public Session current() {
        return current;
    }

    /**
     * Has {@code next} answer from now on, then closes the session that answered until now, which waits for its runs. The
     * next one should take the same inputs: a request is not looked at before it is answered.
     *
     * @throws EngineException where this is closed; {@code next} is closed then, too
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
    public Outputs run(Inputs given, RunOptions how) {
        OpenSession session = current;
        Outputs outputs = session.runIfOpen(given, how);
        while (outputs == null) {
            session = successor(session);
            outputs = session.runIfOpen(given, how);
        }
        return outputs;
    }

    @Override
    Disposable start(Inputs given, RunOptions how, Receiver<Outputs> to) {
        OpenSession session = current;
        Disposable started = session.startIfOpen(given, how, to);
        while (started == null) {
            if (current == session) {
                to.failed(OpenSession.closedException());
                return Disposables.disposed();
            }
            session = current;
            started = session.startIfOpen(given, how, to);
        }
        return started;
    }

    /** Who has taken the place of a session that is closed. */
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

    /** Whether the session that answers now can. */
    public Health health() {
        return current.health();
    }

    /** Closes the session that answers now. None can take its place any more. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        current.close();
    }
}
