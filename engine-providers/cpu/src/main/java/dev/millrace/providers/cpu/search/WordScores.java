package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What each word adds to the score of a sequence: the logarithm of its chance, and what is said about repetitions, masks
 * and lengths.
 *
 * @param allowed a number for each word, 0 for those that are never chosen
 * @param allowedFirst the same for each of the batch, for the first word
 */
record WordScores(Node node, SearchOptions options, int @Nullable [] allowed, int @Nullable [] allowedFirst) {
    private static final float NEVER = -Float.MAX_VALUE;

    /** A row for each sequence; the last step of {@code logits} counts, and all beams share it where it has no more. */
    float[][] of(Tensor logits, Beams beams, boolean first) {
        int steps = Math.toIntExact(logits.shape().dim(1));
        int vocabulary = Math.toIntExact(logits.shape().dim(2));
        int shared = beams.count() / Math.toIntExact(logits.shape().dim(0));
        check(vocabulary);
        float[][] rows = new float[beams.count()][vocabulary];
        for (int row = 0; row < rows.length; row++) {
            long at = ((long) (row / shared) * steps + steps - 1) * vocabulary;
            Elements.read(logits.type(), logits.segment(), at, rows[row], 0, vocabulary);
            logShares(rows[row]);
            repeated(rows[row], beams.words(row));
            if (allowed != null) {
                mask(rows[row], allowed, 0);
            }
            if (first && allowedFirst != null) {
                mask(rows[row], allowedFirst, row / options.beams() * vocabulary);
            }
            if (beams.length() < options.least() && options.end() >= 0 && options.end() < vocabulary) {
                rows[row][options.end()] = NEVER;
            }
            for (int i = 0; i < vocabulary && options.temperature() != 1; i++) {
                rows[row][i] /= options.temperature();
            }
        }
        return rows;
    }

    private void check(int vocabulary) {
        boolean fits = allowed == null || allowed.length == vocabulary;
        if (!fits || allowedFirst != null && allowedFirst.length % vocabulary != 0) {
            throw EngineException.invalidArgument(
                    node.describe() + ": a mask of words does not fit a vocabulary of " + vocabulary);
        }
    }

    private static void logShares(float[] scores) {
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

    private void repeated(float[] scores, int[] words) {
        float penalty = options.repetitionPenalty();
        if (penalty != 1) {
            Arrays.stream(words)
                    .distinct()
                    .filter(word -> word >= 0 && word < scores.length)
                    .forEach(word -> scores[word] *= scores[word] < 0 ? penalty : 1 / penalty);
        }
        int before = options.phrase() - 1;
        for (int end = before; before >= 0 && end < words.length; end++) {
            int last = words.length - before;
            if (Arrays.equals(words, end - before, end, words, last, words.length)
                    && words[end] >= 0
                    && words[end] < scores.length) {
                scores[words[end]] = NEVER;
            }
        }
    }

    private static void mask(float[] scores, int[] mask, int at) {
        for (int i = 0; i < scores.length; i++) {
            if (mask[at + i] == 0) {
                scores[i] = NEVER;
            }
        }
    }
}
