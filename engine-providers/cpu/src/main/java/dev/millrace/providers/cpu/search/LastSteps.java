package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;

/**
 * The scores of the next word of each sequence.
 *
 * @param batch the number of texts
 * @param words the number of the model's scores that count, all where negative
 */
record LastSteps(DynamicContext context, int batch, int words) {
    static LastSteps of(SearchInputs inputs) {
        int batch = Math.toIntExact(
                inputs.context().tensor(SearchInputs.WORDS).shape().dim(0));
        return new LastSteps(inputs.context(), batch, inputs.attribute("vocab_size", -1));
    }

    Node node() {
        return context.node();
    }

    /**
     * Returns the scores of the last step, a row for each sequence. Neighbouring sequences share rows where the model
     * returns fewer.
     */
    float[][] last(Tensor logits, int sequences) {
        if (logits.shape().rank() != 3) {
            throw EngineException.invalidGraph(node().describe() + ": scores of shape " + logits.shape()
                    + " where sequence, step and word are expected");
        }
        int rows = Math.toIntExact(logits.shape().dim(0));
        int steps = Math.toIntExact(logits.shape().dim(1));
        int width = Math.toIntExact(logits.shape().dim(2));
        int vocabulary = words < 0 ? width : words;
        if (rows == 0 || sequences % rows != 0 || steps == 0 || vocabulary == 0 || vocabulary > width) {
            throw EngineException.invalidGraph(node().describe() + ": scores of shape " + logits.shape() + " for "
                    + sequences + " sequences and " + vocabulary + " words");
        }
        float[][] scores = new float[sequences][vocabulary];
        for (int row = 0; row < sequences; row++) {
            context.checkCancelled();
            long at = ((long) (row / (sequences / rows)) * steps + steps - 1) * width;
            Elements.read(logits.type(), logits.segment(), at, scores[row], 0, vocabulary);
        }
        return scores;
    }
}
