package dev.millrace.server.model;

import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for one inference, as both protocols give it. Its tensors are closed by whoever made it, once it has an answer.
 *
 * @param id the caller's name for it, which the answer repeats; may be empty
 * @param inputs the inputs by their names, in the caller's order
 * @param outputs the names of the wanted outputs; empty for all
 * @param sequence its place in a sequence, or null
 * @param priority 1 is the highest, larger numbers are lower; 0 is the model's default
 * @param timeout the time that it may take; null for the model's own limit
 * @param deadline the time by which the transport wants an answer, or null
 */
public record InferRequest(
        String id,
        Map<String, Tensor> inputs,
        List<String> outputs,
        @Nullable SequencePlace sequence,
        long priority,
        @Nullable Duration timeout,
        @Nullable Instant deadline) {
    public InferRequest {
        inputs = Collections.unmodifiableMap(new LinkedHashMap<>(inputs));
        outputs = List.copyOf(outputs);
    }

    /**
     * A request's place in its sequence.
     *
     * @param id a Long, which is unsigned, or a String
     */
    public record SequencePlace(Object id, boolean start, boolean end) {}

    /** Returns a request of other tensors with the same priority, deadline and sequence: a step of an ensemble. */
    public InferRequest step(Map<String, Tensor> stepInputs, List<String> stepOutputs) {
        return new InferRequest(id, stepInputs, stepOutputs, sequence, priority, timeout, deadline);
    }

    /** Closes the inputs. Runs that are under way keep what they read. */
    public void close() {
        inputs.values().forEach(Tensor::close);
    }
}
