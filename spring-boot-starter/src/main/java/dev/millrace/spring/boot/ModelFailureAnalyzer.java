package dev.millrace.spring.boot;

import dev.millrace.graph.EngineException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Reports a configured model that does not open, with what to do. */
final class ModelFailureAnalyzer extends AbstractFailureAnalyzer<ModelOpenException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ModelOpenException cause) {
        return new FailureAnalysis(cause.getMessage(), action(cause), cause);
    }

    private static String action(ModelOpenException failure) {
        String property = failure.property();
        if (property.endsWith(".session")) {
            return "Set " + property + " to the name of a session of millrace.sessions.";
        }
        if (property.endsWith(".tokenizer")) {
            return "Put tokenizer.json beside the model, or set " + property
                    + " to its path. A relative path begins in " + Path.of("").toAbsolutePath() + ".";
        }
        @Nullable Throwable cause = failure.getCause();
        if (!(cause instanceof EngineException engine)) {
            return "Set " + property + " to a model that can be read.";
        }
        return switch (engine.status()) {
            case NO_SUCH_FILE ->
                "Set " + property + " to the path of a model. A relative path begins in "
                        + Path.of("").toAbsolutePath() + ".";
            case INVALID_ARGUMENT ->
                "Correct the properties beside " + property + ", whose names and values are in the guide to options.";
            case BUDGET_EXCEEDED -> "Raise millrace.engine.memory-budget, or configure fewer models.";
            default -> "Set " + property + " to an ONNX model that this engine runs.";
        };
    }
}
