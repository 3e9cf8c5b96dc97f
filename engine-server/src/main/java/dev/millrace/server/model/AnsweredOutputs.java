package dev.millrace.server.model;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.tensor.Classification;
import dev.millrace.session.Outputs;
import java.util.List;

/** The tensors of an answer in the form that a request wants. */
public final class AnsweredOutputs {
    private AnsweredOutputs() {}

    /** Returns an output, or the classes of its highest scores where {@code classes} is not 0. */
    public static Tensor tensor(ServedModel model, Outputs outputs, String name, int classes) {
        Tensor tensor = outputs.get(name);
        if (classes == 0) {
            return tensor;
        }
        boolean batched = model.config().getMaxBatchSize() > 0;
        List<String> labels = model.labels(name);
        return Classification.top("output '" + name + "'", tensor, classes, batched, labels);
    }
}
