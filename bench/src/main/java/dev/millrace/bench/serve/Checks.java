package dev.millrace.bench.serve;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Compares a sample of a session's answers with the first one. */
final class Checks {
    /** The period of the answers that are compared, because ONNX Runtime's Java package copies each of them. */
    private static final int SAMPLED = 32;

    private static final float TOLERANCE = 1e-3f;

    private final AtomicInteger count = new AtomicInteger();
    private volatile float @Nullable [] first;

    boolean isDue() {
        return count.getAndIncrement() % SAMPLED == 0;
    }

    /** Returns the difference of the numbers from the first answer; null if there is none. */
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
