package dev.millrace.bench.compare;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.Map;

/** One of two who run the same model on the same inputs. */
public interface Contender extends AutoCloseable {
    /** Makes a session, in place of the one before. */
    void create() throws Exception;

    /** Runs once and lets go of the answer. */
    void run(Inputs inputs) throws Exception;

    /** Runs once and copies the answer's tensors. */
    Map<String, Tensor> answer(Inputs inputs) throws Exception;

    @Override
    void close() throws Exception;
}
