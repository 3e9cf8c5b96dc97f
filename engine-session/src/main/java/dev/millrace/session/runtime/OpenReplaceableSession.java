package dev.millrace.session.runtime;

import dev.millrace.session.Health;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLease;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A session that hands each request to the current one of a row of sessions. */
final class OpenReplaceableSession extends Streaming implements ReplaceableSession {
    private volatile OpenSession current;
    /** The numbers of leases of sessions that have any. */
    private final Map<OpenSession, Integer> leases = new HashMap<>();

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
        boolean isLeased;
        synchronized (this) {
            refused = closed;
            last = current;
            current = refused ? last : successor;
            isLeased = leases.containsKey(last);
        }
        if (refused) {
            successor.close();
            throw Failures.sessionClosed();
        }
        if (last != successor && !isLeased) {
            last.close();
        }
    }

    @Override
    public synchronized SessionLease lease() {
        if (closed) {
            throw Failures.sessionClosed();
        }
        leases.merge(current, 1, Integer::sum);
        return new Lease(current);
    }

    private void end(OpenSession leased) {
        boolean isLast;
        synchronized (this) {
            isLast = leases.merge(leased, -1, (count, less) -> count + less == 0 ? null : count + less) == null;
            isLast &= leased != current;
        }
        if (isLast) {
            leased.closeSoon();
        }
    }

    private final class Lease implements SessionLease {
        private final OpenSession leased;
        private final AtomicBoolean ended = new AtomicBoolean();

        Lease(OpenSession leased) {
            this.leased = leased;
        }

        @Override
        public Session session() {
            return leased;
        }

        @Override
        public void close() {
            if (!ended.getAndSet(true)) {
                end(leased);
            }
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
        List<OpenSession> open;
        synchronized (this) {
            closed = true;
            open = new ArrayList<>(leases.keySet());
        }
        open.forEach(OpenSession::closeSoon);
        current.close();
    }
}
