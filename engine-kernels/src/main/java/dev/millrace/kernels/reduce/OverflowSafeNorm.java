package dev.millrace.kernels.reduce;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;

/** The recomputation of roots of sums of squares in doubles, where squares of floats overflowed or underflowed. */
public final class OverflowSafeNorm {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** The root of a sum beside which squares that underflowed are below the last place. */
    private static final float LEAST = 0x1p-50f;

    private final NumberType type;
    private final long results;
    private final long each;
    /** The dimensions that remain, and those that are reduced: their extents and strides. */
    private final long[] kept;

    private final long[] keptStrides;
    private final long[] gone;
    private final long[] goneStrides;

    /** @param type a type with the range of floats of 32 bits */
    OverflowSafeNorm(NumberType type, long[] shape, boolean[] reduced) {
        this.type = type;
        long[] strides = new long[shape.length];
        long stride = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides[i] = stride;
            stride *= shape[i];
        }
        int[] stay = IntStream.range(0, shape.length).filter(i -> !reduced[i]).toArray();
        int[] go = IntStream.range(0, shape.length).filter(i -> reduced[i]).toArray();
        kept = of(shape, stay);
        keptStrides = of(strides, stay);
        gone = of(shape, go);
        goneStrides = of(strides, go);
        results = product(kept);
        each = product(gone);
    }

    private static long[] of(long[] numbers, int[] places) {
        return IntStream.of(places).mapToLong(i -> numbers[i]).toArray();
    }

    private static long product(long[] extents) {
        long product = 1;
        for (long extent : extents) {
            product *= extent;
        }
        return product;
    }

    /**
     * Checks all roots and recomputes those that lost precision. A root of zeros is recomputed, too, since only that
     * shows that the numbers are zeros.
     */
    void mend(MemorySegment in, MemorySegment out, Parallel parallel) {
        boolean whole = true;
        for (long i = 0; i < results; i++) {
            whole &= isWhole(read(out, i));
        }
        if (!whole) {
            RowPartitioner.run(results, each, parallel, (first, count) -> {
                for (long i = first; i < first + count; i++) {
                    if (!isWhole(read(out, i))) {
                        write(out, i, root(in, i));
                    }
                }
            });
        }
    }

    /** Whether the root of a sum of squares of floats is exact except for rounding. */
    public static boolean isWhole(float root) {
        return root >= LEAST && root <= Float.MAX_VALUE;
    }

    private double root(MemorySegment in, long result) {
        long start = offset(result, kept, keptStrides, kept.length);
        int last = gone.length - 1;
        long run = last < 0 ? 1 : gone[last];
        long stride = last < 0 ? 1 : goneStrides[last];
        double sum = 0;
        for (long i = 0; i < each / run; i++) {
            long from = start + offset(i, gone, goneStrides, last);
            for (long j = 0; j < run; j++) {
                double number = read(in, from + j * stride);
                sum += number * number;
            }
        }
        return Math.sqrt(sum);
    }

    /** Returns the offset of a number of the first dimensions. */
    private static long offset(long number, long[] extents, long[] strides, int dimensions) {
        long offset = 0;
        long left = number;
        for (int i = dimensions - 1; i >= 0; i--) {
            offset += left % extents[i] * strides[i];
            left /= extents[i];
        }
        return offset;
    }

    private float read(MemorySegment numbers, long index) {
        return type == NumberType.BF16
                ? Float.intBitsToFloat(numbers.getAtIndex(SHORT, index) << 16)
                : numbers.getAtIndex(FLOAT, index);
    }

    private void write(MemorySegment numbers, long index, double root) {
        if (type == NumberType.BF16) {
            numbers.setAtIndex(SHORT, index, bfloat((float) root));
        } else {
            numbers.setAtIndex(FLOAT, index, (float) root);
        }
    }

    /** Returns a float rounded to bfloat16, ties to even. */
    private static short bfloat(float number) {
        int bits = Float.floatToRawIntBits(number);
        return Float.isNaN(number) ? (short) 0x7fc0 : (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }
}
