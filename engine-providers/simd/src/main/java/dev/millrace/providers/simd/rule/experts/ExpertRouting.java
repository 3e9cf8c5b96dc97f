package dev.millrace.providers.simd.rule.experts;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The routes of tokens: each token goes through the experts with its highest scores. Of equal scores the later one
 * counts as higher.
 *
 * @param chosen how many experts a token goes through
 * @param normalised whether the shares of a token add up to 1
 */
record ExpertRouting(int tokens, int experts, int chosen, boolean normalised) {
    /**
     * The experts of all tokens.
     *
     * @param expertOf the expert of each route; those of a token follow each other
     * @param shareOf how much the result of a route counts
     */
    record Routes(int[] expertOf, float[] shareOf) {}

    Routes choose(MemorySegment scores) {
        var routes = new Routes(new int[tokens * chosen], new float[tokens * chosen]);
        float[] row = new float[experts];
        for (int token = 0; token < tokens; token++) {
            MemorySegment.copy(
                    scores, ValueLayout.JAVA_FLOAT_UNALIGNED, (long) Float.BYTES * token * experts, row, 0, experts);
            choose(row, token * chosen, routes);
        }
        return routes;
    }

    private void choose(float[] scores, int first, Routes routes) {
        double most = Double.NEGATIVE_INFINITY;
        for (float score : scores) {
            most = Math.max(most, score);
        }
        double all = 0;
        for (float score : scores) {
            all += Math.exp(score - most);
        }
        boolean[] taken = new boolean[experts];
        double sum = 0;
        double[] shares = new double[chosen];
        for (int j = 0; j < chosen; j++) {
            int best = best(scores, taken);
            taken[best] = true;
            routes.expertOf()[first + j] = best;
            shares[j] = Math.exp(scores[best] - most) / all;
            sum += shares[j];
        }
        for (int j = 0; j < chosen; j++) {
            routes.shareOf()[first + j] = (float) (normalised ? shares[j] / sum : shares[j]);
        }
    }

    private static int best(float[] scores, boolean[] taken) {
        int best = -1;
        for (int i = 0; i < scores.length; i++) {
            if (!taken[i] && (best < 0 || scores[i] >= scores[best])) {
                best = i;
            }
        }
        return best;
    }
}
