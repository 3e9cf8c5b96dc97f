package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;

/** Memory for the tensors of a quantised model. */
interface TensorStore {
    /** A store that keeps all tensors in memory. */
    TensorStore IN_MEMORY = new TensorStore() {};

    /** Returns a zeroed tensor that is written before it is kept. */
    default Tensor allocate(ElementType type, Shape shape) {
        return Tensor.allocate(type, shape);
    }

    /** Returns a tensor with the content of {@code made}, which is not used any more. */
    default Tensor keep(Tensor made) {
        return made;
    }
}
