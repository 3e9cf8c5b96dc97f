package dev.millrace.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExpressionReductionTest {
    private static final Kernels KERNELS = Kernels.shared();
    private static final Expr DIFFERENCE = Expr.input(0).minus(Expr.input(1));

    private static ExpressionReduction reduction(ReduceOp op, long rows, long columns) {
        return new ExpressionReduction(KERNELS.set(), DIFFERENCE, op, DataType.F32, rows, columns);
    }

    private static MemorySegment floats(Arena arena, float... values) {
        return arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
    }

    private static float reduced(ReduceOp op, float... x) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(4, 4);
            List<MemorySegment> inputs = List.of(floats(arena, x), floats(arena, new float[x.length]));
            reduction(op, 1, x.length).run(inputs, out, MemorySegment.NULL, Parallel.NONE);
            return out.get(ValueLayout.JAVA_FLOAT, 0);
        }
    }

    @Test
    void oneNaNMakesTheResultNaN() {
        for (ReduceOp op : List.of(ReduceOp.SUM, ReduceOp.MEAN, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD)) {
            assertTrue(Float.isNaN(reduced(op, 1, 2, Float.NaN, 4, 5, 6, 7, 8, 9)), op.name());
        }
    }

    @Test
    void nothingGivesWhatChangesNothing() {
        assertEquals(0, reduced(ReduceOp.SUM));
        assertEquals(1, reduced(ReduceOp.PROD));
        assertEquals(Float.NEGATIVE_INFINITY, reduced(ReduceOp.MAX));
        assertTrue(Float.isNaN(reduced(ReduceOp.MEAN)));
    }

    /** Reduces bytes in two rows. */
    private static int[] reducedBytes(ReduceOp op, DataType type, byte... x) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment in = arena.allocateFrom(ValueLayout.JAVA_BYTE, x);
            MemorySegment out = arena.allocate(8, 4);
            var reduction =
                    new ExpressionReduction(KERNELS.set(), Expr.input(0, type), op, DataType.S32, 2, x.length / 2);
            MemorySegment scratch = arena.allocate(Math.max(1, reduction.scratchBytes()), 64);
            reduction.run(List.of(in), out, scratch, Parallel.NONE);
            return out.toArray(ValueLayout.JAVA_INT);
        }
    }

    @Test
    void bytesAreReducedAsInts() {
        for (int columns : new int[] {1, 17, 300, 20_000}) {
            byte[] x = new byte[2 * columns];
            new Random(columns).nextBytes(x);
            int least = Byte.MAX_VALUE;
            int most = 0;
            int sum = 0;
            for (int i = columns; i < x.length; i++) {
                least = Math.min(least, x[i]);
                most = Math.max(most, x[i] & 0xff);
                sum += x[i];
            }
            assertEquals(least, reducedBytes(ReduceOp.MIN, DataType.S8, x)[1]);
            assertEquals(most, reducedBytes(ReduceOp.MAX, DataType.U8, x)[1]);
            assertEquals(sum, reducedBytes(ReduceOp.SUM, DataType.S8, x)[1]);
        }
    }

    @Test
    void whatIsWrongIsRefused() {
        assertThrows(IllegalArgumentException.class, () -> reduction(ReduceOp.LOG_SUM_EXP, 1, 1));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ExpressionReduction(KERNELS.set(), DIFFERENCE, ReduceOp.MEAN, DataType.S32, 1, 1));
        assertThrows(IllegalArgumentException.class, () -> reduction(ReduceOp.SUM, -1, 1));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment four = arena.allocate(16, 4);
            MemorySegment out = arena.allocate(8, 4);
            ExpressionReduction two = reduction(ReduceOp.SUM, 2, 2);
            MemorySegment none = MemorySegment.NULL;
            assertThrows(IllegalArgumentException.class, () -> two.run(List.of(four), out, none, Parallel.NONE));
            List<MemorySegment> inputs = List.of(four, four);
            assertThrows(IndexOutOfBoundsException.class, () -> two.run(inputs, out.asSlice(4), none, Parallel.NONE));
            assertThrows(IllegalArgumentException.class, () -> two.run(inputs, four.asSlice(8), none, Parallel.NONE));
            List<MemorySegment> tooShort = List.of(four, four.asSlice(4));
            assertThrows(IndexOutOfBoundsException.class, () -> two.run(tooShort, out, none, Parallel.NONE));
            ExpressionReduction parts = reduction(ReduceOp.SUM, 1, 100_000);
            MemorySegment large = arena.allocate(400_000, 4);
            assertThrows(
                    IndexOutOfBoundsException.class, () -> parts.run(List.of(large, large), out, none, Parallel.NONE));
        }
    }

    @Test
    void aSingleElementIsCheckedEvenIfRowsAreEmpty() {
        Expr expression = Expr.input(0).times(Expr.single(1));
        var reduction = new ExpressionReduction(KERNELS.set(), expression, ReduceOp.SUM, DataType.F32, 3, 0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(12, 4);
            MemorySegment none = MemorySegment.NULL;
            List<MemorySegment> withoutSingle = List.of(none, out.asSlice(0, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> reduction.run(withoutSingle, out, none, Parallel.NONE));
            reduction.run(List.of(none, floats(arena, 5)), out, none, Parallel.NONE);
            assertArrayEquals(new float[3], out.toArray(ValueLayout.JAVA_FLOAT));
        }
    }
}
