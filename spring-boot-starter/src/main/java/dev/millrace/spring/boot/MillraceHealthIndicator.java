package dev.millrace.spring.boot;

import dev.millrace.session.Engine;
import dev.millrace.session.Health.Condition;
import dev.millrace.session.Health.Trouble;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health of the engine: down if it, or a configured session, answers no request. Troubles that slow answers are details. */
final class MillraceHealthIndicator extends AbstractHealthIndicator {
    private final EngineInUse engine;
    private final MillraceSessions sessions;

    MillraceHealthIndicator(EngineInUse engine, MillraceSessions sessions) {
        super("The health of the engine is unknown");
        this.engine = engine;
        this.sessions = sessions;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        Optional<Engine> used = engine.get();
        if (used.isEmpty()) {
            builder.up().withDetail("engine", "not in use");
            return;
        }
        var health = used.get().health();
        Map<String, Condition> conditions = new LinkedHashMap<>();
        // the engine no longer knows sessions that are closed
        Set<String> troubles = new LinkedHashSet<>(texts(health));
        for (ServedSession each : sessions.all()) {
            conditions.put(each.name(), each.health().condition());
            troubles.addAll(texts(each.health()));
        }
        boolean answers = health.isAnswering() && !conditions.containsValue(Condition.DOWN);
        Health.Builder known = answers ? builder.up() : builder.down();
        known.withDetail("condition", health.condition()).withDetail("sessions", conditions);
        if (!troubles.isEmpty()) {
            known.withDetail("troubles", troubles);
        }
    }

    private static List<String> texts(dev.millrace.session.Health health) {
        return health.troubles().stream().map(MillraceHealthIndicator::text).toList();
    }

    private static String text(Trouble trouble) {
        return trouble.place() + ": " + trouble.text() + " (" + trouble.status() + ")";
    }
}
