package dev.millrace.providers.cpu.search;

import dev.millrace.providers.search.Scores;
import org.jspecify.annotations.Nullable;

/**
 * Which words are never chosen, and which ones less likely.
 *
 * @param allowed a number for each word, 0 for those that are never chosen
 * @param allowedFirst the same for each of the batch, for the first word
 * @param present for each of the batch, how many times the penalty is taken from a word
 */
record WordMasks(
        int @Nullable [] allowed, int @Nullable [] allowedFirst, int @Nullable [] present, float presencePenalty) {
    static WordMasks of(SearchInputs inputs, int firstInput) {
        return new WordMasks(inputs.numbers(firstInput), inputs.numbers(firstInput + 1), null, 0);
    }

    WordMasks less(int @Nullable [] words, float penalty) {
        return new WordMasks(allowed, allowedFirst, words, penalty);
    }

    /** Whether there is a number for each word of a vocabulary. */
    boolean fit(int vocabulary, int batch) {
        return fits(allowed, vocabulary)
                && fits(allowedFirst, (long) batch * vocabulary)
                && fits(present, (long) batch * vocabulary);
    }

    private static boolean fits(int @Nullable [] mask, long length) {
        return mask == null || mask.length == length;
    }

    void forbid(float[] scores, int batch, boolean isFirst) {
        if (allowed != null) {
            forbid(scores, allowed, 0);
        }
        if (isFirst && allowedFirst != null) {
            forbid(scores, allowedFirst, batch * scores.length);
        }
    }

    private static void forbid(float[] scores, int[] mask, int at) {
        for (int i = 0; i < scores.length; i++) {
            if (mask[at + i] == 0) {
                scores[i] = Scores.NEVER;
            }
        }
    }

    void penalise(float[] scores, int batch) {
        if (present == null) {
            return;
        }
        for (int i = 0; i < scores.length; i++) {
            scores[i] -= present[batch * scores.length + i] * presencePenalty;
        }
    }
}
