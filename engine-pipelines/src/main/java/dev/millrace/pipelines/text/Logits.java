package dev.millrace.pipelines.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;

/** Numbers of one text in an output whose first axis is that of the texts. */
final class Logits {
    private Logits() {}

    /** Returns the numbers of a text in an output {@code [texts, numbers]}. */
    static float[] ofText(Tensor output, int text) {
        requireRank(output, 2, "[texts, numbers]");
        int count = (int) output.shape().dim(1);
        return TensorParts.floats(output, (long) text * count, count);
    }

    /** Returns the numbers of a token in an output {@code [texts, tokens, numbers]}. */
    static float[] ofToken(Tensor output, int text, int token) {
        requireRank(output, 3, "[texts, tokens, numbers]");
        int count = (int) output.shape().dim(2);
        return TensorParts.floats(output, (text * output.shape().dim(1) + token) * count, count);
    }

    private static void requireRank(Tensor output, int rank, String shape) {
        if (output.shape().rank() != rank) {
            throw EngineException.invalidArgument(
                    "the model's output has the shape " + output.shape() + ", and " + shape + " is expected");
        }
    }
}
