package dev.millrace.bench.agree;

import java.util.SplittableRandom;

/** A generator of an input's elements that suit their purpose. */
@FunctionalInterface
interface Role {
    /** Returns element {@code index}; an integer if the input is of integers. */
    double element(long index, SplittableRandom random);

    static Role always(double value) {
        return (_, _) -> value;
    }

    /** Returns the role of 0, 1, 2 and so on. */
    static Role counting() {
        return (index, _) -> index;
    }

    /** Returns the role of random integers, both ends included. */
    static Role between(long least, long most) {
        return (_, random) -> random.nextLong(least, Math.max(least, most) + 1);
    }

    static Role real(double least, double below) {
        return (_, random) -> random.nextDouble(least, below);
    }

    /** Returns the role that repeats these numbers. */
    static Role listed(long... numbers) {
        return (index, _) -> numbers[(int) (index % numbers.length)];
    }
}
