package dev.millrace.providers.simd.context;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;

/**
 * What is left of a plan to be read, and what was read of it already.
 *
 * @param bytes stand where the graph begins
 */
record PlanSource(ByteReader bytes, List<String> texts, List<Tensor> tensors) {
    String text() {
        return texts.get(bytes.below(texts.size(), "text"));
    }

    Tensor tensor() {
        return tensors.get(bytes.below(tensors.size(), "tensor"));
    }

    ElementType elementType() {
        return ElementType.requireCode(bytes.number());
    }
}
