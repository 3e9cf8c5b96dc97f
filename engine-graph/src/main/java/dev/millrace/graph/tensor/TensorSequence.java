package dev.millrace.graph.tensor;

import java.util.List;

/** An ONNX sequence: data of one type in order. Immutable; closing it closes its elements. */
public record TensorSequence(List<Datum> elements) implements Datum {
    public TensorSequence {
        elements = List.copyOf(elements);
    }

    public static TensorSequence of(Datum... elements) {
        return new TensorSequence(List.of(elements));
    }

    @Override
    public void close() {
        elements.forEach(Datum::close);
    }
}
