package dev.millrace.session;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * What came of a request: its outputs, or what it was refused for. Closing it closes the outputs.
 *
 * @param request as it was given
 * @param outputs the answer, or null where there is a failure
 * @param failure why there is no answer, or null where there is one
 */
public record RunResult(
        Inputs request, @Nullable Outputs outputs, @Nullable EngineException failure) implements AutoCloseable {

    public boolean isAnswer() {
        return outputs != null;
    }

    /** The outputs; throws the failure where there are none. */
    public Outputs orThrow() {
        if (outputs != null) {
            return outputs;
        }
        throw failure == null ? EngineException.invalidArgument("there is neither an answer nor a failure") : failure;
    }

    @Override
    public void close() {
        if (outputs != null) {
            outputs.close();
        }
    }
}
