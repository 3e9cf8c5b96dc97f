package dev.millrace.session.runtime;

import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import java.util.function.Function;

/** Makes sessions for {@link ReplaceableSession#of}, which finds this class by its name. */
public final class ReplaceableSessionFactory implements Function<Session, ReplaceableSession> {
    @Override
    public ReplaceableSession apply(Session first) {
        return new OpenReplaceableSession(OpenSession.of(first));
    }
}
