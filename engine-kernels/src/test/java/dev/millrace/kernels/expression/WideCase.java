package dev.millrace.kernels.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Random;

/** All functions of numbers of 64 bits, over random dimensions along which inputs are repeated, against Java. */
public final class WideCase implements FamilyCase {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final double[] DOUBLES = {
        0, -0.0, 1, -1.5, 1e300, -1e300, Double.MIN_VALUE, Double.POSITIVE_INFINITY, Double.NaN, 3
    };
    private static final long[] LONGS = {
        0, 1, -1, 1L << 32, (1L << 32) - 1, Long.MIN_VALUE, Long.MAX_VALUE, 12345678901L
    };

    @Override
    public String name() {
        return "elementwise of 64 bits";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        NumberType type = random.nextBoolean() ? NumberType.F64 : NumberType.S64;
        WideFunction[] functions = WideFunction.values();
        WideFunction drawn = functions[random.nextInt(functions.length)];
        WideFunction function = drawn.takes(type) ? drawn : WideFunction.ADD;
        List<Long> extents = BroadcastCase.extents(random, small ? 60 : 3000);
        long elements = extents.stream().mapToLong(Long::longValue).reduce(1, (a, b) -> a * b);
        Input left = Input.random(type, extents, memory, random);
        Input right = Input.random(type, extents, memory, random);
        int bytes = function.isComparison() ? 1 : Long.BYTES;
        MemorySegment out = memory.bytes(elements * bytes, bytes);
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        new WideElementwise(kernels, function, type, extents, List.of(left.strides(), right.strides()))
                .run(left.memory(), right.memory(), out, parallel);
        for (long i = 0; i < elements; i++) {
            long a = left.at(i, extents);
            long b = right.at(i, extents);
            String text = function + " of " + type + ", element " + i + " of " + extents;
            if (function.isComparison()) {
                boolean expected = type == NumberType.S64
                        ? holds(function, Long.compare(a, b))
                        : holds(function, Double.longBitsToDouble(a), Double.longBitsToDouble(b));
                assertEquals(expected ? 1 : 0, out.get(ValueLayout.JAVA_BYTE, i), text);
            } else if (type == NumberType.S64) {
                assertEquals(ofLongs(function, a, b), out.getAtIndex(LONG, i), text);
            } else {
                double expected = ofDoubles(function, Double.longBitsToDouble(a), Double.longBitsToDouble(b));
                // zeros of both signs are one
                assertEquals(expected + 0.0, Double.longBitsToDouble(out.getAtIndex(LONG, i)) + 0.0, text);
            }
        }
    }

    private static boolean holds(WideFunction function, int order) {
        return switch (function) {
            case EQUAL -> order == 0;
            case LESS -> order < 0;
            default -> order <= 0;
        };
    }

    private static boolean holds(WideFunction function, double a, double b) {
        return switch (function) {
            case EQUAL -> a == b;
            case LESS -> a < b;
            default -> a <= b;
        };
    }

    private static long ofLongs(WideFunction function, long a, long b) {
        return switch (function) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            default -> throw new AssertionError(function);
        };
    }

    private static double ofDoubles(WideFunction function, double a, double b) {
        return switch (function) {
            case ADD -> a + b;
            case SUB -> a - b;
            case MUL -> a * b;
            case DIV -> a / b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
            default -> throw new AssertionError(function);
        };
    }

    /** An input, whose numbers are kept as bits. */
    private record Input(MemorySegment memory, Repeated lies) {
        static Input random(NumberType type, List<Long> extents, GuardedMemory memory, Random random) {
            Repeated lies = Repeated.random(extents, random);
            MemorySegment segment = memory.bytes(lies.count() * Long.BYTES, Long.BYTES);
            for (long i = 0; i < lies.count(); i++) {
                segment.setAtIndex(LONG, i, number(type, random));
            }
            return new Input(segment, lies);
        }

        List<Long> strides() {
            return lies.strides();
        }

        private static long number(NumberType type, Random random) {
            boolean odd = random.nextInt(3) == 0;
            if (type == NumberType.S64) {
                return odd ? LONGS[random.nextInt(LONGS.length)] : random.nextLong() >> random.nextInt(64);
            }
            double number = odd ? DOUBLES[random.nextInt(DOUBLES.length)] : random.nextInt(100) / 8.0 - 6;
            return Double.doubleToLongBits(number);
        }

        long at(long index, List<Long> extents) {
            return memory.getAtIndex(LONG, lies.place(index, extents));
        }
    }
}
