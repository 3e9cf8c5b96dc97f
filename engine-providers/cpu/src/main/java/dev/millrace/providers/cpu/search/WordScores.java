package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.search.Scores;
import org.jspecify.annotations.Nullable;

/**
 * What each word adds to the score of a sequence: the logarithm of its chance, and what is said about repetitions, masks
 * and lengths.
 *
 * @param allowed a number for each word, 0 for those that are never chosen
 * @param allowedFirst the same for each of the batch, for the first word
 */
record WordScores(Node node, SearchOptions options, int @Nullable [] allowed, int @Nullable [] allowedFirst) {
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
            Scores.logShares(rows[row]);
            Scores.penalise(rows[row], beams.words(row), options.repetitionPenalty());
            Scores.forbidPhrases(rows[row], beams.words(row), options.phrase());
            if (allowed != null) {
                mask(rows[row], allowed, 0);
            }
            if (first && allowedFirst != null) {
                mask(rows[row], allowedFirst, row / options.beams() * vocabulary);
            }
            if (beams.length() < options.least() && options.end() >= 0 && options.end() < vocabulary) {
                rows[row][options.end()] = Scores.NEVER;
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

    private static void mask(float[] scores, int[] mask, int at) {
        for (int i = 0; i < scores.length; i++) {
            if (mask[at + i] == 0) {
                scores[i] = Scores.NEVER;
            }
        }
    }
}
