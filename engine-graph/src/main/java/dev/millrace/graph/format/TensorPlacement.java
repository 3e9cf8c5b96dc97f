package dev.millrace.graph.format;

import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Decides for each initializer of a model that is written whether it is stored in the model's file or refers to an
 * existing one.
 */
@FunctionalInterface
public interface TensorPlacement {
    /** Returns the place where the tensor's bytes lie already, or null to write them into the model's own file. */
    @Nullable
    DataPlace place(String name, Tensor tensor);
}
