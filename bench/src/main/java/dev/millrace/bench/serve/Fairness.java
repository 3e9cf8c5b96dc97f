package dev.millrace.bench.serve;

import java.util.stream.LongStream;

/** Whether those who want the same get the same. */
final class Fairness {
    private Fairness() {}

    /** Jain's index: 1 where all have as much, 1/n where one of n has all. */
    static double jain(long... shares) {
        double sum = LongStream.of(shares).asDoubleStream().sum();
        double squares = LongStream.of(shares).asDoubleStream().map(x -> x * x).sum();
        return squares == 0 ? 1 : sum * sum / (shares.length * squares);
    }
}
