package dev.millrace.server.grpc;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.protocol.ModelInferRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request for an inference as it arrives.
 *
 * @param message the request without its inputs
 * @param tensors the inputs; none where they are refused
 * @param refusal the reason why the inputs are refused, or null
 */
record ReceivedInfer(
        ModelInferRequest message,
        Map<String, Tensor> tensors,
        @Nullable RuntimeException refusal) {
    /** Throws the reason why nothing of the request could be read, if that is so. */
    void requireMessage() {
        if (refusal != null && message.getModelName().isEmpty()) {
            throw refusal;
        }
    }

    /** Returns the inputs, or throws the reason why they are refused. */
    Map<String, Tensor> inputs() {
        if (refusal != null) {
            throw refusal;
        }
        return tensors;
    }
}
