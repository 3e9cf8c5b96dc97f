package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.session.Health;
import dev.millrace.session.Health.Condition;
import dev.millrace.session.Health.Trouble;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the troubles of a session. */
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
        add(Condition.DOWN, Failures.sessionClosed());
        return this;
    }

    /** Adds the troubles of the model's files and providers. */
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
            ProviderLevel level = ProviderGuard.call(provider.name(), provider::computeLevel);
            if (level != null && level.isLowered()) {
                add(Condition.DEGRADED, new EngineException(Status.EP_FAIL, level.describe(provider.name())));
            }
        }
        return this;
    }

    /** Returns a provider's trouble. A provider that fails to report its state has one. */
    private static @Nullable String trouble(ExecutionProvider provider) {
        try {
            String told = provider.trouble();
            return told != null
                    ? told
                    : provider.device().failure().map(Throwable::getMessage).orElse(null);
        } catch (RuntimeException | LinkageError e) {
            return e.toString();
        }
    }

    /** Adds a trouble if the queue is full. */
    SessionHealth waiting(int requests, int limit) {
        if (requests >= limit) {
            add(
                    Condition.DEGRADED,
                    new EngineException(Status.OVERLOADED, requests + " requests wait, which is as many as may"));
        }
        return this;
    }

    /** Adds a trouble if the last run that ended failed; null for an answer. */
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
