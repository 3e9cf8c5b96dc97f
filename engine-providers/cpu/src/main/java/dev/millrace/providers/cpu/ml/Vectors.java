package dev.millrace.providers.cpu.ml;

import dev.millrace.scheduler.kernel.RunServices;
import java.util.Arrays;

/**
 * Vectors that samples are compared with. They lie as columns, one array for each feature: loops go along the vectors, and
 * each sum has an order of its own.
 */
final class Vectors {
    private static final int WIDTH = 1024;
    /** Features after which cancellation is looked at. */
    private static final int TOGETHER = 64;

    private final double[][] features;
    private final int count;

    private Vectors(double[][] features, int count) {
        this.features = features;
        this.count = count;
    }

    /** So many vectors that lie one after the other. */
    static Vectors of(float[] rows, int count, int features) {
        double[][] columns = new double[features][count];
        for (int vector = 0; vector < count; vector++) {
            for (int feature = 0; feature < features; feature++) {
                columns[feature][vector] = rows[vector * features + feature];
            }
        }
        return new Vectors(columns, count);
    }

    int features() {
        return features.length;
    }

    /** The product of a sample with each vector. */
    void products(RunServices run, double[] x, double[] sums) {
        Arrays.fill(sums, 0, count, 0);
        for (int from = 0; from < count; from += WIDTH) {
            int to = Math.min(count, from + WIDTH);
            for (int i = 0; i < features.length; i++) {
                if (i % TOGETHER == 0) {
                    run.checkCancelled();
                }
                addProducts(x[i], features[i], sums, from, to);
            }
        }
    }

    private static void addProducts(double x, double[] column, double[] sums, int from, int to) {
        for (int j = from; j < to; j++) {
            sums[j] = Math.fma(x, column[j], sums[j]);
        }
    }

    /** The square of the distance of a sample from each vector. */
    void squaredDistances(RunServices run, double[] x, double[] sums) {
        Arrays.fill(sums, 0, count, 0);
        for (int from = 0; from < count; from += WIDTH) {
            int to = Math.min(count, from + WIDTH);
            int i = 0;
            for (; i + 2 <= features.length; i += 2) {
                if (i % TOGETHER == 0) {
                    run.checkCancelled();
                }
                addSquares(x[i], features[i], x[i + 1], features[i + 1], sums, from, to);
            }
            if (i < features.length) {
                addSquares(x[i], features[i], sums, from, to);
            }
        }
    }

    private static void addSquares(double x, double[] column, double[] sums, int from, int to) {
        for (int j = from; j < to; j++) {
            double difference = x - column[j];
            sums[j] = Math.fma(difference, difference, sums[j]);
        }
    }

    private static void addSquares(
            double x, double[] column, double y, double[] next, double[] sums, int from, int to) {
        for (int j = from; j < to; j++) {
            double first = x - column[j];
            double second = y - next[j];
            sums[j] = Math.fma(second, second, Math.fma(first, first, sums[j]));
        }
    }
}
