package dev.millrace.graph.format;

import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Says of each initializer where a model that is written finds it. */
@FunctionalInterface
public interface TensorPlacement {
    /** Where the tensor's bytes lie already, or null to write them into the model's own file. */
    @Nullable
    DataPlace place(String name, Tensor tensor);
}
