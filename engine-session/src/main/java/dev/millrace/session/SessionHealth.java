package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.session.Health.Condition;
import dev.millrace.session.Health.Trouble;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Looks for what is wrong with a session. */
final class SessionHealth {
    private final String session;
    private final List<Trouble> troubles = new ArrayList<>();

    SessionHealth(String session) {
        this.session = session;
    }

    Health health() {
        return Health.of(troubles);
    }

    SessionHealth closed() {
        add(Condition.DOWN, OpenSession.closedException());
        return this;
    }

    /** What is wrong with the model that it runs. */
    SessionHealth of(OpenModel model) {
        try {
            MappedFile.check(model.mapped());
        } catch (EngineException e) {
            add(Condition.DOWN, e);
        }
        for (ExecutionProvider provider : model.providers()) {
            String trouble = trouble(provider);
            if (trouble != null) {
                add(
                        Condition.DOWN,
                        new EngineException(Status.EP_FAIL, "provider '" + provider.name() + "': " + trouble));
            }
            ProviderLevel level = provider.computeLevel();
            if (level != null && level.isLowered()) {
                add(Condition.DEGRADED, new EngineException(Status.EP_FAIL, level.describe(provider.name())));
            }
        }
        return this;
    }

    /** A provider that cannot even say how it is has a trouble. */
    private static @Nullable String trouble(ExecutionProvider provider) {
        try {
            return provider.trouble();
        } catch (RuntimeException e) {
            return e.toString();
        }
    }

    /** What is wrong where so many requests wait. */
    SessionHealth waiting(int requests, int limit) {
        if (requests >= limit) {
            add(
                    Condition.DEGRADED,
                    new EngineException(Status.OVERLOADED, requests + " requests wait, which is as many as may"));
        }
        return this;
    }

    /** What is wrong where the last run that ended ended with this; null for an answer. */
    SessionHealth last(@Nullable EngineException failure) {
        if (failure != null) {
            add(Condition.DEGRADED, failure.at("the last run failed"));
        }
        return this;
    }

    private void add(Condition condition, EngineException what) {
        troubles.add(new Trouble(condition, what.status(), session, String.valueOf(what.getMessage())));
    }
}
