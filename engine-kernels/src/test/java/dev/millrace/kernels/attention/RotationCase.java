package dev.millrace.kernels.attention;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Pairs of elements turned by angles. */
public final class RotationCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    @Override
    public String name() {
        return "rotation of heads";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int pairs = 1 + random.nextInt(small ? 20 : 70);
        int size = 2 * pairs + (random.nextBoolean() ? 0 : random.nextInt(40));
        int places = 1 + random.nextInt(!small && random.nextInt(20) == 0 ? 600 : 6);
        var shape = new RotaryEmbedding.Shape(
                1 + random.nextInt(2), 1 + random.nextInt(5), places, pairs, size, random.nextBoolean());
        RotaryEmbedding.Rows in = rows(shape, random.nextBoolean());
        RotaryEmbedding.Rows out = rows(shape, random.nextBoolean());
        long elements = (long) shape.batch() * shape.heads() * places * size;
        long angles = (long) shape.batch() * places * pairs;
        MemorySegment segment = memory.random(elements, random);
        MemorySegment cosines = memory.random(angles, random);
        MemorySegment sines = memory.random(angles, random);
        MemorySegment turned = memory.random(elements, random);
        Parallel threads = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        var rotation = new RotaryEmbedding(kernels, shape, in, out);
        Rehearsal.run(kernels, random, () -> rotation.run(segment, cosines, sines, turned, threads), segment);
        for (int batch = 0; batch < shape.batch(); batch++) {
            for (int head = 0; head < shape.heads(); head++) {
                for (int place = 0; place < places; place++) {
                    long angle = ((long) batch * places + place) * pairs;
                    long from = batch * in.batch() + head * in.head() + place * in.place();
                    long to = batch * out.batch() + head * out.head() + place * out.place();
                    for (int i = 0; i < size; i++) {
                        float expected = expected(shape, segment, from, i, cosines, sines, angle);
                        float actual = turned.getAtIndex(FLOAT, to + i);
                        if (Math.abs(actual - expected) > 1e-5 * Math.max(1, Math.abs(expected))) {
                            throw new AssertionError(shape + ": element " + i + " of place " + place + " of head "
                                    + head + " is " + actual + ", not " + expected);
                        }
                    }
                }
            }
        }
    }

    private static float expected(
            RotaryEmbedding.Shape shape,
            MemorySegment segment,
            long from,
            int i,
            MemorySegment cosines,
            MemorySegment sines,
            long angle) {
        int pairs = shape.pairs();
        if (i >= 2 * pairs) {
            return segment.getAtIndex(FLOAT, from + i);
        }
        int pair = shape.neighbours() ? i / 2 : i % pairs;
        boolean isFirst = shape.neighbours() ? i % 2 == 0 : i < pairs;
        float x = segment.getAtIndex(FLOAT, from + (shape.neighbours() ? 2 * pair : pair));
        float y = segment.getAtIndex(FLOAT, from + (shape.neighbours() ? 2 * pair + 1 : pairs + pair));
        float cosine = cosines.getAtIndex(FLOAT, angle + pair);
        float sine = sines.getAtIndex(FLOAT, angle + pair);
        return isFirst ? x * cosine - y * sine : x * sine + y * cosine;
    }

    private static RotaryEmbedding.Rows rows(RotaryEmbedding.Shape shape, boolean byHeads) {
        long size = shape.size();
        long batch = size * shape.heads() * shape.places();
        return byHeads
                ? new RotaryEmbedding.Rows(batch, size * shape.places(), size)
                : new RotaryEmbedding.Rows(batch, size, size * shape.heads());
    }
}
