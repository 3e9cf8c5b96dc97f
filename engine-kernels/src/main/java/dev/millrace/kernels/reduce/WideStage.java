package dev.millrace.kernels.reduce;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.reduce.ReduceOp.Combine;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A stage of a reduction of numbers of 64 bits, for which there are no kernels, as plain loops over arrays. */
final class WideStage implements StageCall {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    /** Numbers that are read at a time. */
    private static final int BLOCK = 1024;

    /** Numbers whose maxima or minima are kept side by side. */
    private static final int TOGETHER = 64;

    private final ReduceStage stage;
    private final Combine combine;
    private final boolean floats;

    WideStage(ReduceStage stage, NumberType type, Combine combine) {
        this.stage = stage;
        this.combine = combine;
        floats = type.isFloat();
    }

    @Override
    public void run(MemorySegment in, MemorySegment out, @Nullable MemorySegment shift, Parallel parallel) {
        long units = stage.outer() * stage.parts();
        RowPartitioner.run(units, stage.partLength() * stage.inner(), parallel, (first, count) -> {
            int width = (int) Math.min(BLOCK, stage.inner() == 1 ? stage.partLength() : stage.inner());
            var block = floats ? new Doubles(in, out, width) : new Longs(in, out, width);
            for (long unit = first; unit < first + count; unit++) {
                part(block, unit);
            }
        });
    }

    private void part(Block block, long unit) {
        long inner = stage.inner();
        long start = unit % stage.parts() * stage.partLength();
        long length = Math.min(stage.partLength(), stage.reduced() - start);
        long first = (unit / stage.parts() * stage.reduced() + start) * inner;
        if (inner == 1) {
            for (long at = 0; at < length; at += BLOCK) {
                block.fold(first + at, (int) Math.min(BLOCK, length - at), at == 0);
            }
            block.write(unit, 1);
            return;
        }
        for (long at = 0; at < inner; at += BLOCK) {
            int count = (int) Math.min(BLOCK, inner - at);
            for (long row = 0; row < length; row++) {
                block.addRow(first + row * inner + at, count, row == 0);
            }
            block.write(unit * inner + at, count);
        }
    }

    /** Results, and numbers that are combined with them. */
    private interface Block {
        /** Combines some numbers with the first result. */
        void fold(long from, int count, boolean isFirst);

        /** Combines some numbers with as many results. */
        void addRow(long from, int count, boolean isFirst);

        void write(long to, int count);
    }

    private final class Doubles implements Block {
        private final MemorySegment in;
        private final MemorySegment out;
        private final double[] results;
        private final double[] numbers;
        private final double[] extremes;

        Doubles(MemorySegment in, MemorySegment out, int width) {
            this.in = in;
            this.out = out;
            results = new double[width];
            numbers = new double[width];
            extremes = new double[TOGETHER];
        }

        @Override
        public void fold(long from, int count, boolean isFirst) {
            double result = isExtreme(combine) && count >= 2 * TOGETHER ? extreme(from, count) : ofRun(from, count);
            results[0] = isFirst ? result : of(combine, results[0], result);
        }

        private double ofRun(long from, int count) {
            MemorySegment.copy(in, DOUBLE, from * Double.BYTES, numbers, 0, count);
            return combine == Combine.ADD ? sum(numbers, count) : folded(combine, numbers, count);
        }

        /**
         * Returns the maximum or minimum of numbers kept side by side, since the JVM vectorises maxima of two arrays,
         * but not the maximum of one.
         */
        private double extreme(long from, int count) {
            MemorySegment.copy(in, DOUBLE, from * Double.BYTES, extremes, 0, TOGETHER);
            int whole = count / TOGETHER * TOGETHER;
            for (int at = TOGETHER; at < whole; at += TOGETHER) {
                MemorySegment.copy(in, DOUBLE, (from + at) * Double.BYTES, numbers, 0, TOGETHER);
                if (combine == Combine.MAX) {
                    keepGreater(extremes, numbers);
                } else {
                    keepLess(extremes, numbers);
                }
            }
            double result = folded(combine, extremes, TOGETHER);
            return whole == count ? result : of(combine, result, ofRun(from + whole, count - whole));
        }

        private static void keepGreater(double[] kept, double[] numbers) {
            for (int i = 0; i < TOGETHER; i++) {
                kept[i] = Math.max(kept[i], numbers[i]);
            }
        }

        private static void keepLess(double[] kept, double[] numbers) {
            for (int i = 0; i < TOGETHER; i++) {
                kept[i] = Math.min(kept[i], numbers[i]);
            }
        }

        @Override
        public void addRow(long from, int count, boolean isFirst) {
            MemorySegment.copy(in, DOUBLE, from * Double.BYTES, isFirst ? results : numbers, 0, count);
            if (!isFirst && combine == Combine.ADD) {
                add(results, numbers, count);
            } else {
                for (int i = 0; i < count && !isFirst; i++) {
                    results[i] = of(combine, results[i], numbers[i]);
                }
            }
        }

        private static void add(double[] sums, double[] numbers, int count) {
            for (int i = 0; i < count; i++) {
                sums[i] += numbers[i];
            }
        }

        @Override
        public void write(long to, int count) {
            MemorySegment.copy(results, 0, out, DOUBLE, to * Double.BYTES, count);
        }
    }

    /** Returns a sum. Eight partial sums hide the latency of an addition, of which processors start two at a time. */
    private static double sum(double[] numbers, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        double e = 0;
        double f = 0;
        double g = 0;
        double h = 0;
        int i = 0;
        for (; i + 8 <= count; i += 8) {
            a += numbers[i];
            b += numbers[i + 1];
            c += numbers[i + 2];
            d += numbers[i + 3];
            e += numbers[i + 4];
            f += numbers[i + 5];
            g += numbers[i + 6];
            h += numbers[i + 7];
        }
        for (; i < count; i++) {
            a += numbers[i];
        }
        return ((a + b) + (c + d)) + ((e + f) + (g + h));
    }

    private static boolean isExtreme(Combine combine) {
        return combine == Combine.MAX || combine == Combine.MIN;
    }

    private static double folded(Combine combine, double[] numbers, int count) {
        double result = numbers[0];
        for (int i = 1; i < count; i++) {
            result = of(combine, result, numbers[i]);
        }
        return result;
    }

    private static double of(Combine combine, double a, double b) {
        return switch (combine) {
            case ADD -> a + b;
            case MUL -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }

    private final class Longs implements Block {
        private final MemorySegment in;
        private final MemorySegment out;
        private final long[] results;
        private final long[] numbers;

        Longs(MemorySegment in, MemorySegment out, int width) {
            this.in = in;
            this.out = out;
            results = new long[width];
            numbers = new long[width];
        }

        @Override
        public void fold(long from, int count, boolean isFirst) {
            MemorySegment.copy(in, LONG, from * Long.BYTES, numbers, 0, count);
            long result = isFirst ? numbers[0] : of(combine, results[0], numbers[0]);
            for (int i = 1; i < count; i++) {
                result = of(combine, result, numbers[i]);
            }
            results[0] = result;
        }

        @Override
        public void addRow(long from, int count, boolean isFirst) {
            MemorySegment.copy(in, LONG, from * Long.BYTES, isFirst ? results : numbers, 0, count);
            for (int i = 0; i < count && !isFirst; i++) {
                results[i] = of(combine, results[i], numbers[i]);
            }
        }

        @Override
        public void write(long to, int count) {
            MemorySegment.copy(results, 0, out, LONG, to * Long.BYTES, count);
        }
    }

    private static long of(Combine combine, long a, long b) {
        return switch (combine) {
            case ADD -> a + b;
            case MUL -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }
}
