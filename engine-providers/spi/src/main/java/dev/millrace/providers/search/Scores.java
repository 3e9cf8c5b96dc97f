package dev.millrace.providers.search;

import java.util.Arrays;

/** Operations on the scores (logits) of a vocabulary before one word is chosen. All work in place. */
public final class Scores {
    /** The score of a word that is never chosen. */
    public static final float NEVER = -Float.MAX_VALUE;

    private Scores() {}

    /** Replaces scores by the logarithms of the words' probabilities (log-softmax). */
    public static void logShares(float[] scores) {
        double most = Double.NEGATIVE_INFINITY;
        for (float score : scores) {
            most = Math.max(most, score);
        }
        double sum = 0;
        for (float score : scores) {
            sum += Math.exp(score - most);
        }
        double log = most + Math.log(sum);
        for (int i = 0; i < scores.length; i++) {
            scores[i] = (float) (scores[i] - log);
        }
    }

    /**
     * Makes words that occur already less likely, each once (repetition penalty). A penalty of 1 leaves all scores as
     * they are.
     */
    public static void penalise(float[] scores, int[] words, float penalty) {
        if (penalty != 1) {
            Arrays.stream(words)
                    .distinct()
                    .filter(word -> word >= 0 && word < scores.length)
                    .forEach(word -> scores[word] *= scores[word] < 0 ? penalty : 1 / penalty);
        }
    }

    /**
     * Makes words less likely that occur already: by {@code presence}, and by {@code frequency} for each time that they
     * occur.
     */
    public static void lower(float[] scores, int[] words, float frequency, float presence) {
        int[] sorted = words.clone();
        Arrays.sort(sorted);
        for (int i = 0; i < sorted.length; i++) {
            int word = sorted[i];
            if (word >= 0 && word < scores.length) {
                scores[word] -= frequency + (i == 0 || sorted[i - 1] != word ? presence : 0);
            }
        }
    }

    /**
     * Forbids words that would repeat a phrase of this length that occurs already (no-repeat n-grams). 0 forbids none.
     */
    public static void forbidPhrases(float[] scores, int[] words, int phrase) {
        int before = phrase - 1;
        for (int end = before; before >= 0 && end < words.length; end++) {
            int last = words.length - before;
            if (Arrays.equals(words, end - before, end, words, last, words.length)
                    && words[end] >= 0
                    && words[end] < scores.length) {
                scores[words[end]] = NEVER;
            }
        }
    }

    /** The word with the largest score, the first of equal ones; -1 where all scores are minus infinity or NaN. */
    public static int largest(float[] scores) {
        int largest = -1;
        float most = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < scores.length; i++) {
            if (scores[i] > most) {
                most = scores[i];
                largest = i;
            }
        }
        return largest;
    }
}
