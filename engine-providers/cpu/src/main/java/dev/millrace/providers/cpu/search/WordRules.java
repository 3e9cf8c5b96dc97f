package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.search.Scores;

/**
 * What makes of a model's scores those that words are chosen by.
 *
 * @param batch how many texts are begun
 * @param words so many of the model's scores count, all where it is -1
 * @param least before so many words a sequence does not end
 * @param end the word that ends a sequence; none does where it is negative
 * @param phrase so many words in a row are not there twice, or 0
 * @param repetitionPenalty what makes words less likely that are there already
 */
record WordRules(
        Node node,
        int batch,
        int words,
        int least,
        int end,
        int phrase,
        float repetitionPenalty,
        float temperature,
        WordMasks masks) {
    /** @param penaltyInput where the repetition penalty is, with the masks behind it */
    static WordRules of(SearchInputs inputs, int penaltyInput, float temperature) {
        return new WordRules(
                inputs.node(),
                Math.toIntExact(inputs.context().tensor(0).shape().dim(0)),
                inputs.attribute("vocab_size", -1),
                (int) inputs.number(2, 0),
                inputs.attribute("eos_token_id", -1),
                inputs.within(
                        "no_repeat_ngram_size", inputs.attribute("no_repeat_ngram_size", 0), 0, Integer.MAX_VALUE),
                inputs.positive(penaltyInput, "repetition_penalty"),
                temperature,
                WordMasks.of(inputs, penaltyInput + 1));
    }

    WordRules with(WordMasks other) {
        return new WordRules(node, batch, words, least, end, phrase, repetitionPenalty, temperature, other);
    }

    /** The scores of the last step, a row for each sequence; neighbours share what the model gives fewer rows of. */
    float[][] last(Tensor logits, int sequences) {
        if (logits.shape().rank() != 3) {
            throw EngineException.invalidGraph(node.describe() + ": scores of shape " + logits.shape()
                    + " where sequence, step and word are expected");
        }
        int rows = Math.toIntExact(logits.shape().dim(0));
        int steps = Math.toIntExact(logits.shape().dim(1));
        int width = Math.toIntExact(logits.shape().dim(2));
        int vocabulary = words < 0 ? width : words;
        if (rows == 0 || sequences % rows != 0 || steps == 0 || vocabulary == 0 || vocabulary > width) {
            throw EngineException.invalidGraph(node.describe() + ": scores of shape " + logits.shape() + " for "
                    + sequences + " sequences and " + vocabulary + " words");
        }
        if (!masks.fit(vocabulary, batch)) {
            throw EngineException.invalidArgument(
                    node.describe() + ": a mask of words does not fit a vocabulary of " + vocabulary);
        }
        float[][] scores = new float[sequences][vocabulary];
        for (int row = 0; row < sequences; row++) {
            long at = ((long) (row / (sequences / rows)) * steps + steps - 1) * width;
            Elements.read(logits.type(), logits.segment(), at, scores[row], 0, vocabulary);
        }
        return scores;
    }

    void apply(float[] scores, int[] sequence, int ofBatch, boolean isFirst) {
        Scores.penalise(scores, sequence, repetitionPenalty);
        Scores.forbidPhrases(scores, sequence, phrase);
        masks.forbid(scores, ofBatch, isFirst);
        if (sequence.length < least && end >= 0 && end < scores.length) {
            scores[end] = Scores.NEVER;
        }
        for (int i = 0; i < scores.length && temperature != 1; i++) {
            scores[i] /= temperature;
        }
        masks.penalise(scores, ofBatch);
    }
}
