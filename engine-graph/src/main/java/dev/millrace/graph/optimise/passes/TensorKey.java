package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.tensor.Tensor;

/** A tensor as a key that is equal where the contents are. */
record TensorKey(Tensor tensor) {
    @Override
    public boolean equals(Object other) {
        return other instanceof TensorKey content && Constants.equal(tensor, content.tensor);
    }

    @Override
    public int hashCode() {
        return Constants.hash(tensor);
    }
}
