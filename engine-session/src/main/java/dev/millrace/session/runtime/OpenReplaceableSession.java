package dev.millrace.session.runtime;

import dev.millrace.session.Health;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Failures;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A session that hands each request to the current one of a row of sessions. */
final class OpenReplaceableSession extends Streaming implements ReplaceableSession {
    private volatile OpenSession current;
    private boolean closed;

    OpenReplaceableSession(OpenSession first) {
        this.current = first;
    }

    @Override
    public Session current() {
        return current;
    }

    @Override
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
            throw Failures.sessionClosed();
        }
        if (last != successor) {
            last.close();
        }
    }

    @Override
    public List<ValueInfo> inputs() {
        return current.inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return current.outputs();
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
    public Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        OpenSession session = current;
        Disposable started = session.startIfOpen(inputs, options, to);
        while (started == null) {
            if (current == session) {
                to.failed(Failures.sessionClosed());
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
            throw Failures.sessionClosed();
        }
        return next;
    }

    @Override
    public int concurrency() {
        return current.concurrency();
    }

    @Override
    public Health health() {
        return current.health();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        current.close();
    }
}
