package dev.millrace.session;

import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/**
 * A sequence of requests, its elements, each of which gets the state that the previous one left. They run one after the
 * other, in the order in which they were requested. An answer has the model's outputs without those that are state. An
 * element that fails or is cancelled leaves the state as it was.
 */
public interface Sequence extends Inference, AutoCloseable {
    /** Returns a copy of the state after the elements so far, by the names of inputs. */
    Map<String, Tensor> snapshot();

    /** Continues from a snapshot of this sequence or another one of the model. */
    void restore(Map<String, Tensor> snapshot);

    /** Returns to the initial state. */
    void reset();

    /** Frees the state once the elements that were requested have ended; further ones are refused. */
    @Override
    void close();
}
