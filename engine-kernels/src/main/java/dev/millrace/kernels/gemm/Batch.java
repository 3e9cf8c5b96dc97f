package dev.millrace.kernels.gemm;

import org.jspecify.annotations.Nullable;

/**
 * Products of the same shape at regular distances, in elements; 0 for an operand that is the same for all. Operands of
 * the epilogue are the same for all.
 *
 * @param outer further batches, each of which has all of this one
 */
public record Batch(
        long count, long a, long b, long c, @Nullable Batch outer) {
    public static final Batch ONE = new Batch(1, 0, 0, 0, null);

    public Batch {
        if (count < 0 || a < 0 || b < 0 || c < 0) {
            throw new IllegalArgumentException(
                    "a batch has a count of " + count + " and distances " + a + ", " + b + ", " + c);
        }
    }

    public static Batch of(long count, long a, long b, long c) {
        return new Batch(count, a, b, c, null);
    }

    /** So many of this batch. */
    public Batch times(long number, long distanceOfA, long distanceOfB, long distanceOfC) {
        Batch above = outer == null
                ? of(number, distanceOfA, distanceOfB, distanceOfC)
                : outer.times(number, distanceOfA, distanceOfB, distanceOfC);
        return new Batch(count, a, b, c, above);
    }

    /** Of all levels. */
    public long total() {
        return Math.multiplyExact(count, outer == null ? 1 : outer.total());
    }

    long offsetOfA(long index) {
        return index % count * a + (outer == null ? 0 : outer.offsetOfA(index / count));
    }

    long offsetOfB(long index) {
        return index % count * b + (outer == null ? 0 : outer.offsetOfB(index / count));
    }

    long offsetOfC(long index) {
        return index % count * c + (outer == null ? 0 : outer.offsetOfC(index / count));
    }

    /** The sum of the largest offsets, checked. */
    Batch last() {
        Batch above = outer == null ? ONE : outer.last();
        long steps = Math.max(0, count - 1);
        return of(
                1,
                Math.addExact(above.a, Math.multiplyExact(steps, a)),
                Math.addExact(above.b, Math.multiplyExact(steps, b)),
                Math.addExact(above.c, Math.multiplyExact(steps, c)));
    }
}
