package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.pool.Scratch;

/**
 * Which experts a token goes through, and how much each of them counts.
 *
 * @param chosen how many experts
 * @param normalised whether those that are chosen count 1 together
 * @param weights the input of what experts count, or -1 where that is their share of the scores
 */
record Routing(ElementType type, int experts, int chosen, boolean normalised, int weights) {
    private static final int SCORES = 1;

    /** Chooses for one token; equals are chosen from behind. */
    void choose(LaunchContext run, long token, int[] into, double[] shares, Scratch scratch) {
        double[] scores = scratch.doubles(0, experts);
        Elements.read(type, run.input(SCORES), token * experts, scores, 0, experts);
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < experts; i++) {
            most = Math.max(most, scores[i]);
        }
        double all = 0;
        for (int i = 0; i < experts; i++) {
            all += Math.exp(scores[i] - most);
        }
        double sum = 0;
        for (int j = 0; j < chosen; j++) {
            into[j] = likeliest(scores, into, j);
            shares[j] = weights < 0
                    ? Math.exp(scores[into[j]] - most) / all
                    : Elements.getDouble(type, run.input(weights), token * experts + into[j]);
            sum += shares[j];
        }
        for (int j = 0; j < chosen && normalised; j++) {
            shares[j] /= sum;
        }
    }

    private int likeliest(double[] scores, int[] taken, int count) {
        int best = -1;
        for (int i = 0; i < experts; i++) {
            boolean free = true;
            for (int j = 0; j < count; j++) {
                free &= taken[j] != i;
            }
            if (free && (best < 0 || scores[i] >= scores[best])) {
                best = i;
            }
        }
        return best;
    }
}
