package dev.millrace.providers.simd.context;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;

/**
 * The unread rest of a plan, with the tables of texts and tensors that were read already.
 *
 * @param bytes positioned where the graph begins
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
