package dev.millrace.kernels.gemm;

import org.jspecify.annotations.Nullable;

/**
 * Products of the same shape at regular distances, in elements. A distance is 0 for an operand that all products share.
 * All products share the operands of the epilogue.
 *
 * @param outer the batch of a further dimension, each element of which is this whole batch; null if there is none
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

    /** Returns a batch of {@code number} copies of this one at the given distances. */
    public Batch times(long number, long distanceOfA, long distanceOfB, long distanceOfC) {
        Batch above = outer == null
                ? of(number, distanceOfA, distanceOfB, distanceOfC)
                : outer.times(number, distanceOfA, distanceOfB, distanceOfC);
        return new Batch(count, a, b, c, above);
    }

    /** The number of products, over all dimensions. */
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

    /** Returns the largest offset of each operand, checked for overflow, as the distances of a single product. */
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
