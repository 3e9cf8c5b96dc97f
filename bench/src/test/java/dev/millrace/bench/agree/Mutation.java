package dev.millrace.bench.agree;

import dev.millrace.cli.fire.Mutants;
import java.io.IOException;
import java.util.Random;
import java.util.SplittableRandom;

/** A kind of changed models, each of which has a number. */
enum Mutation {
    FAMILIES(2_000),
    STORED(600);

    private static final long APART = 1_000_003;

    private final int count;

    Mutation(int count) {
        this.count = count;
    }

    /** How many are asked for. */
    int count() {
        return count;
    }

    Mutants all() throws IOException {
        return this == FAMILIES ? Mutants.ofFamilies() : Mutants.ofStored();
    }

    /** The random numbers of one of them; neighbours have nothing in common. */
    Random random(long seed, long number) {
        return new Random(new SplittableRandom(seed * APART + ordinal() * 31L + number).nextLong());
    }
}
