package dev.millrace.graph.tensor;

/** A value at run time: what an ONNX edge carries. */
public sealed interface Datum extends AutoCloseable permits Tensor, TensorSequence, OptionalDatum, MapDatum {
    /** Gives memory back where this datum owns any. Closing twice, or not at all, does no harm. */
    @Override
    void close();
}
