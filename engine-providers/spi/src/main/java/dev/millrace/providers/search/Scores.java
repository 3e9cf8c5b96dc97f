package dev.millrace.providers.search;

import java.util.Arrays;

/** What is done to the scores of all words before one is chosen, in place. */
public final class Scores {
    /** The score of a word that is never chosen. */
    public static final float NEVER = -Float.MAX_VALUE;

    private Scores() {}

    /** Scores become the logarithms of the words' shares. */
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

    /** Makes words less likely that are there already, each once; 1 leaves all as they are. */
    public static void penalise(float[] scores, int[] words, float penalty) {
        if (penalty != 1) {
            Arrays.stream(words)
                    .distinct()
                    .filter(word -> word >= 0 && word < scores.length)
                    .forEach(word -> scores[word] *= scores[word] < 0 ? penalty : 1 / penalty);
        }
    }

    /** Forbids words that would end a phrase of this length that is there already; 0 forbids none. */
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

    /** The word of the largest score, the first of equals; -1 where all are minus infinity or no numbers. */
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
