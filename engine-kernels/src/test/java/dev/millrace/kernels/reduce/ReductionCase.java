package dev.millrace.kernels.reduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

/** All operations and types over random axes, against sums in double. */
public final class ReductionCase implements FamilyCase {
    private static final NumberType[] TYPES = {NumberType.F32, NumberType.F32, NumberType.F16, NumberType.BF16};
    private static final ReduceOp[] OF_ALL = {ReduceOp.SUM, ReduceOp.MEAN, ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PROD};
    private static final NumberType[] OTHERS = {NumberType.S32, NumberType.S64, NumberType.F64};

    @Override
    public String name() {
        return "reduce";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        boolean other = random.nextInt(3) == 0;
        NumberType[] types = other ? OTHERS : TYPES;
        NumberType type = types[random.nextInt(types.length)];
        ReduceOp[] ops = other ? OF_ALL : ReduceOp.values();
        ReduceOp op = ops[random.nextInt(ops.length)];
        int rank = random.nextInt(5);
        long[] shape = new long[rank];
        boolean[] reduced = new boolean[rank];
        for (int i = 0; i < rank; i++) {
            shape[i] = random.nextInt(40) == 0 ? 0 : 1 + random.nextInt(random.nextBoolean() ? 4 : 24 / rank + 1);
            reduced[i] = random.nextBoolean();
        }
        if (rank > 0) {
            int most = small ? 60 : random.nextInt(8) == 0 ? 40_000 / rank / rank / rank : 200;
            shape[random.nextInt(rank)] = 1 + random.nextInt(most);
        }
        int[] axes = IntStream.range(0, rank).filter(i -> reduced[i]).toArray();
        int numbers = (int) Arrays.stream(shape).reduce(1, (a, b) -> a * b);
        MemorySegment in = memory.bytes(type.bytes(numbers));
        for (int i = 0; i < numbers; i++) {
            double number = switch (op) {
                case LOG_SUM -> 1 + random.nextDouble();
                case PROD -> 1 + 0.005 * random.nextGaussian();
                default -> 3 * random.nextGaussian();
            };
            put(type, in, i, type.isFloat() ? number : random.nextInt());
        }
        var reduction = new Reduction(kernels, op, type, shape, axes);
        MemorySegment out = memory.bytes(type.bytes(reduction.results()));
        MemorySegment scratch = memory.bytes(reduction.scratchBytes());
        Parallel parallel = random.nextInt(3) == 0 ? TestThreads.of(3) : Parallel.NONE;
        reduction.run(in, out, scratch, parallel);
        ReductionReference reference = new ReductionReference(op, type, (int) reduction.results());
        for (int i = 0; i < numbers; i++) {
            reference.add(resultOf(i, shape, reduced), get(type, in, i));
        }
        for (int i = 0; i < reduction.results(); i++) {
            double got = get(type, out, i);
            double wanted = reference.result(i);
            int at = i;
            if (!type.isFloat() || Double.isNaN(wanted) || Double.isInfinite(wanted)) {
                assertEquals(wanted, got, () -> text(op, type, shape, axes, at));
            } else {
                double bound = reference.bound(i);
                assertTrue(
                        Math.abs(got - wanted) <= bound,
                        () -> got + " is not " + wanted + " within " + bound + ": " + text(op, type, shape, axes, at));
            }
        }
    }

    private static String text(ReduceOp op, NumberType type, long[] shape, int[] axes, int at) {
        return op + " of " + type + " " + Arrays.toString(shape) + " over " + Arrays.toString(axes) + ", result " + at;
    }

    private static int resultOf(int index, long[] shape, boolean[] reduced) {
        int result = 0;
        int stride = 1;
        int left = index;
        for (int i = shape.length - 1; i >= 0; i--) {
            int place = (int) (left % shape[i]);
            left /= (int) shape[i];
            if (!reduced[i]) {
                result += place * stride;
                stride *= (int) shape[i];
            }
        }
        return result;
    }

    private static void put(NumberType type, MemorySegment to, int i, double x) {
        switch (type) {
            case F16 -> to.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, Float.floatToFloat16((float) x));
            case BF16 ->
                to.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i, (short) (Float.floatToIntBits((float) x) >>> 16));
            case S32 -> to.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, (int) x);
            case S64 -> to.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (long) x);
            case F64 -> to.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, x);
            default -> to.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) x);
        }
    }

    private static double get(NumberType type, MemorySegment from, int i) {
        return switch (type) {
            case F16 -> Float.float16ToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i));
            case BF16 -> Float.intBitsToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) << 16);
            case S32 -> from.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
            case S64 -> from.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
            case F64 -> from.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i);
            default -> from.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
        };
    }
}
