package dev.millrace.kernels.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;

/**
 * Random permutations, with gaps and repeats, of elements of all sizes, compared byte by byte with a copy of single
 * elements.
 */
public final class CopyCase implements FamilyCase {
    @Override
    public String name() {
        return "layout";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int bytes = 1 << random.nextInt(4);
        int rank = random.nextInt(small ? 4 : 6);
        long[] counts = new long[rank];
        for (int i = 0; i < rank; i++) {
            counts[i] = random.nextInt(30) == 0 ? 0 : 1 + random.nextInt(random.nextInt(3) == 0 ? 3 : 24 / rank + 1);
        }
        if (rank > 0 && rank < 4) {
            counts[random.nextInt(rank)] += random.nextInt(small ? 20 : 120);
        }
        if (rank > 1 && rank < 4 && random.nextInt(3) == 0) {
            counts[random.nextInt(rank)] = 2 + random.nextInt(3);
        }
        if (rank == 2 && random.nextBoolean()) {
            counts[0] = counts[1] + random.nextInt(3);
        }
        long[] to = strides(counts, random, false);
        long[] from = strides(counts, random, true);
        long toOffset = random.nextInt(3) - below(counts, to);
        long fromOffset = random.nextInt(3) - below(counts, from);
        long toSize = (toOffset + above(counts, to) + 1) * bytes;
        long fromSize = (fromOffset + above(counts, from) + 1) * bytes;
        MemorySegment source = memory.randomBytes(fromSize, random);
        MemorySegment target = memory.randomBytes(toSize, random);
        MemorySegment expected = MemorySegment.ofArray(target.toArray(ValueLayout.JAVA_BYTE));
        naive(counts, 0, bytes, expected, toOffset, to, source, fromOffset, from);
        StridedCopy copy = StridedCopy.of(bytes, counts, toOffset, to, fromOffset, from);
        Parallel parallel = random.nextInt(3) == 0 ? TestThreads.of(3) : Parallel.NONE;
        new Copier(kernels, copy).run(source, target, parallel);
        assertEquals(
                -1,
                target.mismatch(expected),
                () -> bytes + " bytes, counts " + Arrays.toString(counts) + ", to " + Arrays.toString(to) + ", from "
                        + Arrays.toString(from));
    }

    /** Returns strides in random order, some with gaps; for reading, some are 0 or negative. */
    private static long[] strides(long[] counts, Random random, boolean reading) {
        long[] strides = new long[counts.length];
        boolean[] done = new boolean[counts.length];
        long stride = random.nextInt(8) == 0 ? 2 : 1;
        for (int left = counts.length; left > 0; left--) {
            int i = left - 1;
            if (random.nextInt(reading ? 1 : 3) == 0) {
                i = random.nextInt(counts.length);
            }
            while (done[i]) {
                i = (i + 1) % counts.length;
            }
            done[i] = true;
            strides[i] = stride;
            stride = stride * Math.max(1, counts[i]) + (random.nextInt(6) == 0 ? 1 : 0);
            if (random.nextInt(12) == 0) {
                strides[i] = reading && random.nextBoolean() ? 0 : -strides[i];
            }
        }
        return strides;
    }

    private static long above(long[] counts, long[] strides) {
        long most = 0;
        for (int i = 0; i < counts.length; i++) {
            most += Math.max(0, (counts[i] - 1) * strides[i]);
        }
        return most;
    }

    private static long below(long[] counts, long[] strides) {
        long least = 0;
        for (int i = 0; i < counts.length; i++) {
            least += Math.min(0, (counts[i] - 1) * strides[i]);
        }
        return least;
    }

    private static void naive(
            long[] counts,
            int dimension,
            int bytes,
            MemorySegment target,
            long to,
            long[] toStrides,
            MemorySegment source,
            long from,
            long[] fromStrides) {
        if (dimension == counts.length) {
            MemorySegment.copy(source, from * bytes, target, to * bytes, bytes);
            return;
        }
        for (long i = 0; i < counts[dimension]; i++) {
            naive(
                    counts,
                    dimension + 1,
                    bytes,
                    target,
                    to + i * toStrides[dimension],
                    toStrides,
                    source,
                    from + i * fromStrides[dimension],
                    fromStrides);
        }
    }
}
