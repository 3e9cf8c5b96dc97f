package dev.millrace.kernels.resize;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Resizing by any rule along any axes. */
public final class ResizeCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float OUTSIDE = 7;

    @Override
    public String name() {
        return "resize";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ResizeRule rule = new ResizeRule(
                any(random, ResizeRule.Mode.values()),
                any(random, ResizeRule.Coordinates.values()),
                any(random, ResizeRule.Rounding.values()),
                -0.75f,
                random.nextInt(4) == 0,
                random.nextInt(4) == 0);
        boolean crop = rule.coordinates() == ResizeRule.Coordinates.TF_CROP_AND_RESIZE;
        int most = small ? 6 : 24;
        long[] dims = new long[1 + random.nextInt(4)];
        List<ResizeAxis> axes = new ArrayList<>();
        for (int i = 0; i < dims.length; i++) {
            dims[i] = 1 + random.nextInt(most);
            if (random.nextInt(2) == 0 || axes.isEmpty() && i == dims.length - 1) {
                int to = random.nextInt(4) == 0 ? (int) dims[i] * (1 + random.nextInt(4)) : 1 + random.nextInt(most);
                ResizeAxis axis = ResizeAxis.of(i, (int) dims[i], to);
                axes.add(
                        crop
                                ? new ResizeAxis(
                                        i, axis.from(), axis.to(), axis.scale(), random.nextFloat() - 0.3f, 1.2f)
                                : axis);
            }
        }
        try (Arena tables = Arena.ofShared()) {
            ResizePlan plan = new ResizePlan(rule, dims, axes, kernels.target(), tables);
            long count = Arrays.stream(dims).reduce(1, (a, b) -> a * b);
            long results = Arrays.stream(plan.resultDims()).reduce(1, (a, b) -> a * b);
            MemorySegment data = memory.random(count, random);
            MemorySegment out = memory.floats(results);
            Resize resize = new Resize(kernels);
            int threads = 1 + random.nextInt(3);
            MemorySegment scratch = memory.bytes(resize.scratchBytes(plan, 4, threads), 4);
            resize.run(plan, 4, data, out, OUTSIDE, scratch, TestThreads.of(threads));
            double[] expected = expected(rule, dims, axes, data.toArray(FLOAT));
            for (int i = 0; i < expected.length; i++) {
                float got = out.getAtIndex(FLOAT, i);
                if (!(Math.abs(got - expected[i]) < 1e-4)) {
                    throw new AssertionError(rule + " of " + Arrays.toString(dims) + " by " + axes + ": element " + i
                            + " is " + got + ", not " + expected[i]);
                }
            }
        }
    }

    private static <E> E any(Random random, E[] values) {
        return values[random.nextInt(values.length)];
    }

    /** One axis after the other, each result as its definition has it. */
    private static double[] expected(ResizeRule rule, long[] dims, List<ResizeAxis> axes, float[] data) {
        double[] current = new double[data.length];
        for (int i = 0; i < data.length; i++) {
            current[i] = data[i];
        }
        long[] shape = dims.clone();
        for (ResizeAxis axis : axes) {
            int inner = 1;
            for (int i = axis.axis() + 1; i < shape.length; i++) {
                inner *= (int) shape[i];
            }
            int outer = current.length / inner / axis.from();
            double[] next = new double[outer * axis.to() * inner];
            for (int i = 0; i < next.length; i++) {
                int result = i / inner % axis.to();
                int line = i / inner / axis.to() * axis.from() * inner + i % inner;
                next[i] = axis.isOutside(rule.coordinates(), result)
                        ? Double.NaN
                        : result(rule, axis, result, current, line, inner);
            }
            current = next;
            shape[axis.axis()] = axis.to();
        }
        return Arrays.stream(current).map(x -> Double.isNaN(x) ? OUTSIDE : x).toArray();
    }

    private static double result(ResizeRule rule, ResizeAxis axis, int result, double[] data, int line, int stride) {
        if (rule.mode() == ResizeRule.Mode.NEAREST) {
            return data[line + axis.nearest(rule, result) * stride];
        }
        double place = axis.exactPlace(rule.coordinates(), result);
        double stretch = rule.antialias() ? Math.max(1, 1 / (double) axis.scale()) : 1;
        double sum = 0;
        double weights = 0;
        int reach = (int) Math.ceil(2 * stretch);
        for (int element = (int) place - reach - 1; element <= place + reach + 1; element++) {
            double weight = weight(rule, Math.abs(element - place) / stretch);
            int inside = Math.clamp(element, 0, axis.from() - 1);
            if (weight != 0 && (inside == element || !rule.excludeOutside())) {
                sum += weight * data[line + inside * stride];
                weights += weight;
            }
        }
        return sum / weights;
    }

    private static double weight(ResizeRule rule, double x) {
        if (rule.mode() == ResizeRule.Mode.LINEAR) {
            return x < 1 ? 1 - x : 0;
        }
        double a = rule.cubic();
        if (x < 1) {
            return (a + 2) * x * x * x - (a + 3) * x * x + 1;
        }
        return x < 2 ? a * x * x * x - 5 * a * x * x + 8 * a * x - 4 * a : 0;
    }
}
