package dev.millrace.bench.agree;

import java.util.SplittableRandom;

/** What the elements of an input may be. */
@FunctionalInterface
interface Role {
    /** Element {@code index}; whole where the input is. */
    double element(long index, SplittableRandom random);

    static Role always(double value) {
        return (_, _) -> value;
    }

    /** 0, 1, 2 and so on. */
    static Role counting() {
        return (index, _) -> index;
    }

    /** Whole numbers, both ends included. */
    static Role between(long least, long most) {
        return (_, random) -> random.nextLong(least, Math.max(least, most) + 1);
    }

    static Role real(double least, double below) {
        return (_, random) -> random.nextDouble(least, below);
    }

    /** These numbers over and over. */
    static Role listed(long... numbers) {
        return (index, _) -> numbers[(int) (index % numbers.length)];
    }
}
