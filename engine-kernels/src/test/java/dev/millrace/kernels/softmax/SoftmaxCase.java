package dev.millrace.kernels.softmax;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Softmax and its logarithm over any of three axes, in place or not. */
public final class SoftmaxCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double BOUND = 2e-6;
    /** The difference to the largest number is rounded before its exponential is taken. */
    private static final double BOUND_PER_DIFFERENCE = 1.2e-7;

    @Override
    public String name() {
        return "softmax";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int most = small ? 9 : 40;
        int outer = random.nextInt(most);
        int axis = 1 + random.nextInt(small ? 40 : 300);
        int inner = random.nextBoolean() ? 1 : 1 + random.nextInt(most);
        boolean log = random.nextBoolean();
        long count = (long) outer * axis * inner;
        float spread = new float[] {1, 10, 200}[random.nextInt(3)];
        MemorySegment in = memory.random(count, random);
        for (long i = 0; i < count; i++) {
            float value = random.nextInt(30) == 0 ? Float.NEGATIVE_INFINITY : 2 * spread * in.getAtIndex(FLOAT, i);
            in.setAtIndex(FLOAT, i, value);
        }
        float[] before = in.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED);
        boolean inPlace = random.nextBoolean();
        MemorySegment out = inPlace ? in : memory.floats(count);
        Softmax softmax = log ? Softmax.logarithm(kernels) : Softmax.of(kernels);
        Parallel threads = TestThreads.of(1 + random.nextInt(3));
        Rehearsal.run(kernels, random, () -> softmax.run(in, out, outer, axis, inner, threads), in);
        for (int i = 0; i < outer; i++) {
            for (int j = 0; j < inner; j++) {
                String shape = outer + "x" + axis + "x" + inner + (log ? " log" : "") + (inPlace ? " in place" : "");
                compare(before, out, (long) i * axis * inner + j, axis, inner, log, shape);
            }
        }
    }

    private static void compare(
            float[] in, MemorySegment out, long start, int axis, int inner, boolean log, String shape) {
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < axis; i++) {
            most = Math.max(most, in[(int) (start + (long) i * inner)]);
        }
        double sum = 0;
        for (int i = 0; i < axis; i++) {
            sum += Math.exp(in[(int) (start + (long) i * inner)] - most);
        }
        for (int i = 0; i < axis; i++) {
            long at = start + (long) i * inner;
            double x = in[(int) at] - most;
            double wanted = log ? x - Math.log(sum) : Math.exp(x) / sum;
            float got = out.getAtIndex(FLOAT, at);
            boolean same = Double.isNaN(wanted) ? Float.isNaN(got) : wanted == got;
            double relative = BOUND + (log ? 0 : BOUND_PER_DIFFERENCE * Math.abs(x));
            double allowed = relative * Math.max(log ? 1 : 1e-30, Math.abs(wanted));
            assertTrue(same || Math.abs(wanted - got) <= allowed, () -> shape + ": " + got + ", not " + wanted);
        }
    }
}
