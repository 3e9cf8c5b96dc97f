package dev.millrace.bench.serve;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Holds some of a session's answers to the first one. */
final class Checks {
    /** Of so many answers one is looked at, since the peer's Java package copies what is looked at. */
    private static final int SAMPLED = 32;

    private static final float TOLERANCE = 1e-3f;

    private final AtomicInteger count = new AtomicInteger();
    private volatile float @Nullable [] first;

    boolean isDue() {
        return count.getAndIncrement() % SAMPLED == 0;
    }

    /** Why the numbers are not those of the first answer; null where they are. */
    @Nullable
    Throwable check(float[] numbers) {
        float[] expected = first;
        if (expected == null) {
            first = numbers;
            return null;
        }
        if (numbers.length != expected.length) {
            return new IllegalStateException(numbers.length + " numbers, not " + expected.length);
        }
        for (int i = 0; i < numbers.length; i++) {
            if (!(Math.abs(numbers[i] - expected[i]) <= TOLERANCE * (1 + Math.abs(expected[i])))) {
                return new IllegalStateException("number " + i + " is " + numbers[i] + ", not " + expected[i]);
            }
        }
        return null;
    }
}
