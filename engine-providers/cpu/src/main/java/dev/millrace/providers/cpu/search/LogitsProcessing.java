package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.search.Scores;

/**
 * The logits processing of a search: rules that turn a model's scores into those that words are chosen by.
 *
 * @param least the length below which a sequence does not end
 * @param end the word that ends a sequence; none where negative
 * @param phrase the length of phrases (n-grams) that are not repeated, or 0
 * @param repetitionPenalty the factor that makes words less likely that occur already
 */
record LogitsProcessing(
        LastSteps steps, int least, int end, int phrase, float repetitionPenalty, float temperature, WordMasks masks) {
    /** @param penaltyInput the input of the repetition penalty, followed by those of the masks */
    static LogitsProcessing of(SearchInputs inputs, int penaltyInput, float temperature) {
        return new LogitsProcessing(
                LastSteps.of(inputs),
                (int) inputs.number(SearchInputs.SHORTEST, 0),
                inputs.attribute("eos_token_id", -1),
                inputs.within(
                        "no_repeat_ngram_size", inputs.attribute("no_repeat_ngram_size", 0), 0, Integer.MAX_VALUE),
                inputs.positive(penaltyInput, "repetition_penalty"),
                temperature,
                WordMasks.of(inputs, penaltyInput + 1));
    }

    LogitsProcessing with(WordMasks other) {
        return new LogitsProcessing(steps, least, end, phrase, repetitionPenalty, temperature, other);
    }

    /** Returns the scores of the last step, a row for each sequence. */
    float[][] last(Tensor logits, int sequences) {
        float[][] scores = steps.last(logits, sequences);
        if (!masks.fit(scores[0].length, steps.batch())) {
            throw EngineException.invalidArgument(
                    steps.node().describe() + ": a mask of words does not fit a vocabulary of " + scores[0].length);
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
