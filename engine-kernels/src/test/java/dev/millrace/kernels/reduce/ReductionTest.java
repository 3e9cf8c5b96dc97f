package dev.millrace.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReductionTest {
    private static final Kernels KERNELS = Kernels.open(System::getProperty);

    private static float reduced(ReduceOp op, float... numbers) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
            MemorySegment out = arena.allocate(4, 4);
            var reduction = new Reduction(KERNELS.set(), op, NumberType.F32, new long[] {numbers.length}, 0);
            reduction.run(in, out, arena.allocate(reduction.scratchBytes(), 4), Parallel.NONE);
            return out.get(ValueLayout.JAVA_FLOAT, 0);
        }
    }

    @Test
    void nothingReducesToWhatChangesNothing() {
        assertEquals(0, reduced(ReduceOp.SUM));
        assertEquals(1, reduced(ReduceOp.PROD));
        assertEquals(Float.NEGATIVE_INFINITY, reduced(ReduceOp.MAX));
        assertEquals(Float.POSITIVE_INFINITY, reduced(ReduceOp.MIN));
        assertEquals(Float.NEGATIVE_INFINITY, reduced(ReduceOp.LOG_SUM_EXP));
        assertTrue(Float.isNaN(reduced(ReduceOp.MEAN)));
    }

    @Test
    void notANumberPasses() {
        for (ReduceOp op : ReduceOp.values()) {
            for (int place = 0; place < 40; place++) {
                float[] numbers = new float[40];
                numbers[place] = Float.NaN;
                assertTrue(Float.isNaN(reduced(op, numbers)), op + " at " + place);
            }
        }
    }

    @Test
    void sumsOfExponentialsDoNotOverflow() {
        assertEquals(1000 + (float) Math.log(2), reduced(ReduceOp.LOG_SUM_EXP, 1000, 1000), 1e-4f);
        float infinity = Float.POSITIVE_INFINITY;
        assertEquals(infinity, reduced(ReduceOp.LOG_SUM_EXP, 1, infinity));
        assertEquals(-infinity, reduced(ReduceOp.LOG_SUM_EXP, -infinity, -infinity));
    }

    @Test
    void rootsOfSquaresThatAreNoFloatsAreRight() {
        assertEquals(1e38f, reduced(ReduceOp.L2, 1e38f, 0), 1e31f);
        assertEquals((float) (2e-30 * Math.sqrt(3)), reduced(ReduceOp.L2, 2e-30f, -2e-30f, 2e-30f), 1e-36f);
        assertEquals(1e-40f, reduced(ReduceOp.L2, 0, 1e-40f));
        assertEquals(0, reduced(ReduceOp.L2, 0, -0f));
        float infinity = Float.POSITIVE_INFINITY;
        assertEquals(infinity, reduced(ReduceOp.L2, -infinity, 1));
        assertEquals(infinity, reduced(ReduceOp.L2, 3e38f, 3e38f));
    }

    @Test
    void rootsOverAnyAxesAreMendedWhereTheyAre() {
        float[] numbers = new float[3 * 4 * 5 * 2];
        Random random = new Random(4);
        for (int i = 0; i < numbers.length; i++) {
            float size = i / 2 % 5 == 2 ? 1e-30f : i / 2 % 5 == 4 ? 1e25f : 1;
            numbers[i] = size * (float) random.nextGaussian();
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
            MemorySegment out = arena.allocate(4 * 15, 4);
            var reduction = new Reduction(KERNELS.set(), ReduceOp.L2, NumberType.F32, new long[] {3, 4, 5, 2}, 1, 3);
            reduction.run(in, out, arena.allocate(reduction.scratchBytes(), 4), Parallel.NONE);
            for (int i = 0; i < 15; i++) {
                double sum = 0;
                for (int j = 0; j < 8; j++) {
                    sum += Math.pow(numbers[i / 5 * 40 + j / 2 * 10 + i % 5 * 2 + j % 2], 2);
                }
                double root = Math.sqrt(sum);
                assertEquals(root, out.getAtIndex(ValueLayout.JAVA_FLOAT, i), 1e-6 * root, "result " + i);
            }
        }
    }

    @Test
    void rootsOfSquaresOfBfloatsAreRight() {
        try (Arena arena = Arena.ofConfined()) {
            short large = (short) (Float.floatToIntBits(0x1p100f) >>> 16);
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_SHORT, large, large, large, large);
            MemorySegment out = arena.allocate(2, 2);
            var reduction = new Reduction(KERNELS.set(), ReduceOp.L2, NumberType.BF16, new long[] {4}, 0);
            reduction.run(in, out, arena.allocate(reduction.scratchBytes(), 4), Parallel.NONE);
            assertEquals(0x1p101f, Float.intBitsToFloat(out.get(ValueLayout.JAVA_SHORT, 0) << 16));
        }
    }

    @Test
    void aSumOfManyLosesLittle() {
        float[] numbers = new float[1 << 20];
        Arrays.fill(numbers, 0.1f);
        assertEquals(0.1f * numbers.length, reduced(ReduceOp.SUM, numbers), 0.5);
    }

    @Test
    void doublesKeepWhatFloatsWouldLose() {
        double[] numbers = {0x1p53, 1, -0x1p53, 1e-3};
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_DOUBLE, numbers);
            MemorySegment out = arena.allocate(8, 8);
            var reduction = new Reduction(KERNELS.set(), ReduceOp.MAX, NumberType.F64, new long[] {4}, 0);
            MemorySegment scratch = arena.allocate(reduction.scratchBytes(), 8);
            reduction.run(in, out, scratch, Parallel.NONE);
            assertEquals(0x1p53, out.get(ValueLayout.JAVA_DOUBLE, 0));
            in.setAtIndex(ValueLayout.JAVA_DOUBLE, 2, Double.NaN);
            reduction.run(in, out, scratch, Parallel.NONE);
            assertTrue(Double.isNaN(out.get(ValueLayout.JAVA_DOUBLE, 0)));
        }
    }

    @Test
    void meansOfIntsLoseTheirFraction() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_LONG, -3, -4, 1L << 62, 3);
            MemorySegment out = arena.allocate(16, 8);
            var reduction = new Reduction(KERNELS.set(), ReduceOp.MEAN, NumberType.S64, new long[] {2, 2}, 1);
            reduction.run(in, out, arena.allocate(reduction.scratchBytes(), 8), Parallel.NONE);
            assertEquals(-3, out.getAtIndex(ValueLayout.JAVA_LONG, 0));
            assertEquals((1L << 61) + 1, out.getAtIndex(ValueLayout.JAVA_LONG, 1));
        }
    }

    @Test
    void wrongReductionsAreRefused() {
        long[] shape = {2, 3};
        var set = KERNELS.set();
        assertThrows(IllegalArgumentException.class, () -> new Reduction(set, ReduceOp.L2, NumberType.S32, shape, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reduction(set, ReduceOp.SUM, NumberType.U8, shape, 0));
        assertThrows(
                IllegalArgumentException.class, () -> new Reduction(set, ReduceOp.SUM, NumberType.F32, shape, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new Reduction(set, ReduceOp.SUM, NumberType.F32, shape, 2));
        long[] negative = {-2, -3};
        assertThrows(
                IllegalArgumentException.class, () -> new Reduction(set, ReduceOp.SUM, NumberType.F32, negative, 0, 1));
        var reduction = new Reduction(set, ReduceOp.SUM, NumberType.F32, shape, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocate(24);
            MemorySegment scratch = arena.allocate(reduction.scratchBytes());
            MemorySegment out = arena.allocate(11);
            assertThrows(IndexOutOfBoundsException.class, () -> reduction.run(in, out, scratch, Parallel.NONE));
            assertThrows(IllegalArgumentException.class, () -> reduction.run(in, in, scratch, Parallel.NONE));
        }
        KernelKey key = KernelKey.parse("reduce.rows:before=exp,combine=add,together=1,type=f32");
        Exception wrong = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(key));
        assertTrue(String.valueOf(wrong.getMessage()).contains("together"));
    }

    @Test
    void onlySumsAreOfWhatWasChangedBefore() {
        for (String wrong : new String[] {
            "reduce.rows:before=square,combine=max,together=0,type=f32",
            "reduce.columns:accumulate=0,before=exp,combine=mul,rows=1,type=f32",
            "reduce.expression:before=abs,combine=min,expr=x0"
        }) {
            KernelKey key = KernelKey.parse(wrong);
            Exception refusal = assertThrows(IllegalArgumentException.class, () -> KERNELS.describe(key), wrong);
            assertTrue(String.valueOf(refusal.getMessage()).contains("before"), refusal.getMessage());
        }
    }
}
