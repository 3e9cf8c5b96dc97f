package dev.millrace.kernels.reduce;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.loops.Shares;
import dev.millrace.kernels.reduce.ReduceOp.Combine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** A step of a reduction of numbers of 64 bits, which kernels do not know, as plain loops. */
final class WideStage implements StageCall {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

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
        Shares.run(units, stage.partLength() * stage.inner(), parallel, (first, count) -> {
            for (long unit = first; unit < first + count; unit++) {
                part(in, out, unit);
            }
        });
    }

    private void part(MemorySegment in, MemorySegment out, long unit) {
        long inner = stage.inner();
        long start = unit % stage.parts() * stage.partLength();
        long length = Math.min(stage.partLength(), stage.reduced() - start);
        long first = (unit / stage.parts() * stage.reduced() + start) * inner;
        if (inner == 1) {
            if (floats) {
                out.setAtIndex(DOUBLE, unit, doubles(in, first, length));
            } else {
                out.setAtIndex(LONG, unit, longs(in, first, length));
            }
            return;
        }
        long to = unit * inner;
        MemorySegment.copy(in, first * Long.BYTES, out, to * Long.BYTES, inner * Long.BYTES);
        for (long row = 1; row < length; row++) {
            addRow(in, first + row * inner, out, to);
        }
    }

    private void addRow(MemorySegment in, long from, MemorySegment out, long to) {
        if (floats) {
            for (long i = 0; i < stage.inner(); i++) {
                double sum = of(out.getAtIndex(DOUBLE, to + i), in.getAtIndex(DOUBLE, from + i));
                out.setAtIndex(DOUBLE, to + i, sum);
            }
        } else {
            for (long i = 0; i < stage.inner(); i++) {
                long sum = of(out.getAtIndex(LONG, to + i), in.getAtIndex(LONG, from + i));
                out.setAtIndex(LONG, to + i, sum);
            }
        }
    }

    /** Two results side by side hide half of the latency of a step. */
    private double doubles(MemorySegment in, long first, long length) {
        double even = in.getAtIndex(DOUBLE, first);
        if (length == 1) {
            return even;
        }
        double odd = in.getAtIndex(DOUBLE, first + 1);
        long i = 2;
        for (; i + 1 < length; i += 2) {
            even = of(even, in.getAtIndex(DOUBLE, first + i));
            odd = of(odd, in.getAtIndex(DOUBLE, first + i + 1));
        }
        return i < length ? of(of(even, odd), in.getAtIndex(DOUBLE, first + i)) : of(even, odd);
    }

    private long longs(MemorySegment in, long first, long length) {
        long result = in.getAtIndex(LONG, first);
        for (long i = 1; i < length; i++) {
            result = of(result, in.getAtIndex(LONG, first + i));
        }
        return result;
    }

    private double of(double a, double b) {
        return switch (combine) {
            case ADD -> a + b;
            case MUL -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }

    private long of(long a, long b) {
        return switch (combine) {
            case ADD -> a + b;
            case MUL -> a * b;
            case MAX -> Math.max(a, b);
            case MIN -> Math.min(a, b);
        };
    }
}
