package dev.millrace.session;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * The result of a request: its outputs, or the failure that it ended with. Closing it closes the outputs.
 *
 * @param request the request's inputs
 * @param outputs the answer, or null if there is a failure
 * @param failure the reason why there is no answer, or null if there is one
 */
public record RunResult(
        Inputs request, @Nullable Outputs outputs, @Nullable EngineException failure) implements AutoCloseable {

    public boolean isAnswer() {
        return outputs != null;
    }

    /** Returns the outputs; throws the failure if there are none. */
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
