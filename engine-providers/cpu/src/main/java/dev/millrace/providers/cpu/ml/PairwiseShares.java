package dev.millrace.providers.cpu.ml;

import dev.millrace.scheduler.kernel.RunServices;

/**
 * Probabilities of classes from those of pairs, by the second method of Wu, Lin and Weng, "Probability estimates for
 * multi-class classification by pairwise coupling" (2004). A pair's own follows from its decision by Platt's sigmoid.
 */
final class PairwiseShares {
    private static final double LEAST = 1e-7;

    private PairwiseShares() {}

    static void solve(RunServices run, double[] decisions, float[] slopes, float[] shifts, int count, double[] shares) {
        double[][] pairs = new double[count][count];
        int pair = 0;
        for (int i = 0; i < count; i++) {
            run.checkCancelled();
            for (int j = i + 1; j < count; j++) {
                double first = 1 - PostTransform.logistic(decisions[pair] * slopes[pair] + shifts[pair]);
                pairs[i][j] = Math.clamp(first, LEAST, 1 - LEAST);
                pairs[j][i] = 1 - pairs[i][j];
                pair++;
            }
        }
        double[][] q = new double[count][count];
        for (int i = 0; i < count; i++) {
            shares[i] = 1.0 / count;
            for (int j = 0; j < count; j++) {
                if (j != i) {
                    q[i][i] += pairs[j][i] * pairs[j][i];
                    q[i][j] = -pairs[j][i] * pairs[i][j];
                }
            }
        }
        iterate(run, q, count, shares);
    }

    private static void iterate(RunServices run, double[][] q, int count, double[] shares) {
        double[] product = new double[count];
        for (int round = 0; round < Math.max(100, count); round++) {
            double quadratic = 0;
            for (int i = 0; i < count; i++) {
                run.checkCancelled();
                product[i] = 0;
                for (int j = 0; j < count; j++) {
                    product[i] += q[i][j] * shares[j];
                }
                quadratic += shares[i] * product[i];
            }
            double error = 0;
            for (int i = 0; i < count; i++) {
                error = Math.max(error, Math.abs(product[i] - quadratic));
            }
            if (error < 0.005 / count) {
                return;
            }
            for (int i = 0; i < count; i++) {
                run.checkCancelled();
                double change = (quadratic - product[i]) / q[i][i];
                shares[i] += change;
                double scale = 1 + change;
                quadratic = (quadratic + change * (change * q[i][i] + 2 * product[i])) / (scale * scale);
                for (int j = 0; j < count; j++) {
                    product[j] = (product[j] + change * q[i][j]) / scale;
                    shares[j] /= scale;
                }
            }
        }
    }
}
