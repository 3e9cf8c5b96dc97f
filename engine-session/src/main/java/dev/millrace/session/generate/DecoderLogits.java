package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;

/** The output of logits, whose last extent is the vocabulary. */
final class DecoderLogits {
    private DecoderLogits() {}

    /** Returns the logits of the last step of an entry of a batch. */
    static float[] last(Tensor all, int entry, int entries) {
        Shape shape = all.shape();
        if (shape.rank() == 0 || all.elements() == 0) {
            throw EngineException.invalidArgument("a " + all + " has no logits of a last token");
        }
        int vocabulary = Math.toIntExact(shape.dim(shape.rank() - 1));
        long end = all.elements() / entries * (entry + 1);
        return TensorParts.floats(all, end - vocabulary, vocabulary);
    }
}
