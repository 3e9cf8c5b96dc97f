package dev.millrace.kernels.axis;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Best elements, the k best ones and running sums along any axis. */
public final class SelectCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /** More than a group of groups of vectors. */
    private static final int MANY = 1500;

    @Override
    public String name() {
        return "select";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        AxisShape shape = new AxisShape(
                1 + random.nextInt(small ? 3 : 6),
                1 + random.nextInt(small ? 40 : random.nextInt(8) == 0 ? MANY : 60),
                random.nextBoolean() ? 1 : 1 + random.nextInt(small ? 12 : 20));
        MemorySegment data = memory.random(shape.elements(), random);
        boolean special = random.nextInt(3) == 0;
        for (long i = 0; i < shape.elements() && special; i++) {
            float[] values = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0, -0f, 1, -1, -1};
            data.setAtIndex(FLOAT, i, values[random.nextInt(values.length)]);
        }
        Best.Extreme[] extremes = Best.Extreme.values();
        Best best = new Best(extremes[random.nextInt(2)], random.nextBoolean());
        TestThreads threads = new TestThreads(1 + random.nextInt(3));
        best(kernels, memory, shape, data, best, threads);
        top(kernels, memory, shape, data, best.extreme(), random, threads);
        if (!special) {
            SumRule rule = new SumRule(SumRule.Type.FLOAT, random.nextBoolean(), random.nextBoolean());
            sums(kernels, memory, shape, data, rule, threads, random.nextBoolean());
            SumRule ofInts = new SumRule(SumRule.Type.INT, rule.exclusive(), rule.reverse());
            runningInts(kernels, memory, shape, ofInts, threads, random);
            SumRule products = new SumRule(SumRule.Type.INT_PRODUCT, rule.exclusive(), false);
            runningInts(kernels, memory, shape, products, threads, random);
            if (shape.inner() > 1) {
                SumRule.Type type = List.of(SumRule.Type.LONG, SumRule.Type.DOUBLE, SumRule.Type.DOUBLE_PRODUCT)
                        .get(random.nextInt(3));
                boolean exclusive = rule.exclusive() && type != SumRule.Type.DOUBLE_PRODUCT;
                runningWide(kernels, memory, shape, new SumRule(type, exclusive, rule.reverse()), threads, random);
            }
        }
    }

    private static void runningWide(
            KernelSet kernels,
            GuardedMemory memory,
            AxisShape shape,
            SumRule rule,
            TestThreads threads,
            Random random) {
        boolean longs = rule.type() == SumRule.Type.LONG;
        boolean multiplies = rule.type() == SumRule.Type.DOUBLE_PRODUCT;
        MemorySegment data = memory.bytes(Long.BYTES * shape.elements(), Long.BYTES);
        for (long i = 0; i < shape.elements(); i++) {
            double number = multiplies ? random.nextInt(2) * 2 - 1 : random.nextInt(100) / 4.0;
            data.setAtIndex(LONG, i, longs ? random.nextLong() : Double.doubleToLongBits(number));
        }
        MemorySegment out = memory.bytes(Long.BYTES * shape.elements(), Long.BYTES);
        new PrefixSum(kernels, rule).run(shape, data, out, threads);
        for (long line = 0; line < shape.lines(); line++) {
            long sum = multiplies ? Double.doubleToLongBits(1) : 0;
            for (long i = 0; i < shape.count(); i++) {
                long at = at(shape, line, rule.reverse() ? shape.count() - 1 - i : i);
                long next = data.getAtIndex(LONG, at);
                double x = Double.longBitsToDouble(sum);
                double y = Double.longBitsToDouble(next);
                long with = longs ? sum + next : Double.doubleToLongBits(multiplies ? x * y : x + y);
                if (out.getAtIndex(LONG, at) != (rule.exclusive() ? sum : with)) {
                    throw new AssertionError(rule + ", " + shape + " in line " + line + " at " + i);
                }
                sum = with;
            }
        }
    }

    private static long at(AxisShape shape, long line, long place) {
        long inner = shape.inner();
        return (line / inner * shape.count() + place) * inner + line % inner;
    }

    private static void best(
            KernelSet kernels,
            GuardedMemory memory,
            AxisShape shape,
            MemorySegment data,
            Best best,
            TestThreads threads) {
        MemorySegment out = memory.bytes(8 * shape.lines(), 8);
        new ArgBest(kernels, best).run(shape, data, out, threads);
        for (long line = 0; line < shape.lines(); line++) {
            long expected = 0;
            float most = Float.NaN;
            for (long place = 0; place < shape.count(); place++) {
                float value = data.getAtIndex(FLOAT, at(shape, line, place));
                boolean better = best.extreme() == Best.Extreme.LARGEST ? value > most : value < most;
                boolean asGood = value == most || Float.isNaN(value) && Float.isNaN(most);
                if (better || asGood && best.last() || Float.isNaN(most) && !Float.isNaN(value)) {
                    most = value;
                    expected = place;
                }
            }
            long got = out.getAtIndex(LONG, line);
            if (got != expected) {
                throw new AssertionError(
                        best + " of " + shape + " in line " + line + " is " + got + ", not " + expected);
            }
        }
    }

    private static void top(
            KernelSet kernels,
            GuardedMemory memory,
            AxisShape shape,
            MemorySegment data,
            Best.Extreme extreme,
            Random random,
            TestThreads threads) {
        int k = 1 + random.nextInt((int) (random.nextBoolean() ? Math.min(5, shape.count()) : shape.count()));
        MemorySegment values = memory.floats(shape.lines() * k);
        MemorySegment places = memory.bytes(8 * shape.lines() * k, 8);
        TopK top = new TopK(kernels, extreme);
        MemorySegment scratch = memory.bytes(top.scratchBytes(shape, threads.width()), 4);
        top.run(shape, k, data, values, places, scratch, threads);
        AxisShape results = new AxisShape(shape.outer(), k, shape.inner());
        for (long line = 0; line < shape.lines(); line++) {
            long of = line;
            Comparator<Integer> byValue =
                    Comparator.comparing(place -> data.getAtIndex(FLOAT, at(shape, of, place)) + 0f, Float::compare);
            Integer[] order = IntStream.range(0, (int) shape.count()).boxed().toArray(Integer[]::new);
            Arrays.sort(order, extreme == Best.Extreme.LARGEST ? byValue.reversed() : byValue);
            for (int i = 0; i < k; i++) {
                long got = places.getAtIndex(LONG, at(results, line, i));
                float value = values.getAtIndex(FLOAT, at(results, line, i));
                if (got != order[i] || Float.compare(value, data.getAtIndex(FLOAT, at(shape, line, got))) != 0) {
                    throw new AssertionError("number " + i + " of " + k + " " + extreme + " of " + shape + " in line "
                            + line + " is " + got + ", not " + order[i]);
                }
            }
        }
    }

    private static void sums(
            KernelSet kernels,
            GuardedMemory memory,
            AxisShape shape,
            MemorySegment data,
            SumRule rule,
            TestThreads threads,
            boolean inPlace) {
        MemorySegment out = memory.floats(shape.elements());
        if (inPlace) {
            out.copyFrom(data.asSlice(0, out.byteSize()));
        }
        new PrefixSum(kernels, rule).run(shape, inPlace ? out : data, out, threads);
        for (long line = 0; line < shape.lines(); line++) {
            double sum = 0;
            for (long i = 0; i < shape.count(); i++) {
                long at = at(shape, line, rule.reverse() ? shape.count() - 1 - i : i);
                double with = sum + data.getAtIndex(FLOAT, at);
                double expected = rule.exclusive() ? sum : with;
                if (!(Math.abs(out.getAtIndex(FLOAT, at) - expected) < 1e-4)) {
                    throw new AssertionError(rule + " of " + shape + " in line " + line + " at " + i + " is "
                            + out.getAtIndex(FLOAT, at) + ", not " + expected);
                }
                sum = with;
            }
        }
    }

    private static void runningInts(
            KernelSet kernels,
            GuardedMemory memory,
            AxisShape shape,
            SumRule rule,
            TestThreads threads,
            Random random) {
        MemorySegment data = memory.randomBytes(4 * shape.elements(), random);
        MemorySegment out = memory.floats(shape.elements());
        boolean multiplies = rule.type() == SumRule.Type.INT_PRODUCT;
        new PrefixSum(kernels, rule).run(shape, data, out, threads);
        for (long line = 0; line < shape.lines(); line++) {
            int sum = multiplies ? 1 : 0;
            for (long i = 0; i < shape.count(); i++) {
                long at = at(shape, line, rule.reverse() ? shape.count() - 1 - i : i);
                int next = data.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at);
                int with = multiplies ? sum * next : sum + next;
                int got = out.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at);
                if (got != (rule.exclusive() ? sum : with)) {
                    throw new AssertionError(rule + " of ints, " + shape + " in line " + line + " at " + i);
                }
                sum = with;
            }
        }
    }
}
