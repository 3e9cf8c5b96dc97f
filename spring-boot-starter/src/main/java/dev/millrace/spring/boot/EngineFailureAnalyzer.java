package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports an auto-configured engine that refuses its properties. */
final class EngineFailureAnalyzer extends AbstractFailureAnalyzer<EngineException> {
    private static final String ENGINE = "millraceEngine";

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, EngineException cause) {
        return isOfEngine(rootFailure)
                ? new FailureAnalysis(
                        "The engine refuses its properties: " + cause.getMessage(),
                        "Correct the properties below millrace.engine, or what a bean of EngineOptionsCustomizer sets.",
                        cause)
                : null;
    }

    private static boolean isOfEngine(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof BeanCreationException creation && ENGINE.equals(creation.getBeanName())) {
                return true;
            }
        }
        return false;
    }
}
