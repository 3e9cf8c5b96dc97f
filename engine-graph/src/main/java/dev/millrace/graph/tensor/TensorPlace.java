package dev.millrace.graph.tensor;

/** A place that tensors can be copied to, such as a device. */
public interface TensorPlace {
    /** Returns a copy of a tensor at this place. */
    Tensor copyOf(Tensor tensor);
}
