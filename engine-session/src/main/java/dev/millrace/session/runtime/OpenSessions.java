package dev.millrace.session.runtime;

import dev.millrace.session.Health;
import dev.millrace.session.Health.Condition;
import dev.millrace.session.Health.Trouble;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * The open sessions of an engine. A session that becomes unreachable without being closed is
 * removed by the garbage collector.
 */
final class OpenSessions {
    private final Map<OpenSession, Boolean> sessions = new WeakHashMap<>();
    private final SessionNames names = new SessionNames();

    SessionNames names() {
        return names;
    }

    synchronized void add(OpenSession session) {
        sessions.put(session, true);
    }

    synchronized void remove(OpenSession session) {
        sessions.remove(session);
    }

    synchronized int count() {
        return sessions.size();
    }

    private synchronized List<OpenSession> all() {
        return new ArrayList<>(sessions.keySet());
    }

    /** Returns the troubles of all sessions as they concern their engine: it is down only if none of them answers. */
    List<Trouble> troubles() {
        List<Health> each = all().stream().map(OpenSession::health).toList();
        boolean noneAnswers = each.stream().noneMatch(Health::isAnswering);
        return each.stream()
                .flatMap(health -> health.troubles().stream())
                .map(trouble -> noneAnswers || trouble.condition() != Condition.DOWN
                        ? trouble
                        : new Trouble(Condition.DEGRADED, trouble.status(), trouble.place(), trouble.text()))
                .toList();
    }
}
