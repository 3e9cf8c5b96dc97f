package dev.millrace.kernels.cast;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The conversion of numbers of one type to another. Safe for use by several threads.
 *
 * <p>Floats are rounded to nearest even; numbers that are too large become infinite. Conversions to floats of 16 bits
 * go through floats of 32 bits, which rounds doubles and large ints twice. An int that does not fit loses its upper
 * bits. Everything but 0 becomes true, NaN as well.
 *
 * <p>A float becomes an int by the rules of Java: it is rounded towards zero, NaN becomes 0, and numbers beyond the
 * ints of 32 or 64 bits become the least or the largest one; narrower ints are the lower bits of an int of 32 bits. A
 * negative float is converted to a signed int, whose bits become those of an unsigned one.
 */
public final class Cast {
    /** The alignment of parts, so that no two threads write to the same cache line. */
    private static final long GRAIN = 128;
    /** Numbers that several stages convert at a time. */
    private static final int CHUNK = 2048;

    private final KernelSet kernels;
    private final NumberType from;
    private final NumberType to;
    private final NonTemporalStores streaming;
    private final List<CastStage> stages;

    public Cast(KernelSet kernels, NumberType from, NumberType to) {
        this(kernels, from, to, NonTemporalStores.USUAL);
    }

    public Cast(KernelSet kernels, NumberType from, NumberType to, NonTemporalStores streaming) {
        this.kernels = kernels;
        this.streaming = streaming;
        this.from = from;
        this.to = to;
        List<CastStage> way = new ArrayList<>();
        NumberType at = from;
        do {
            CastStage next = next(kernels, at, to);
            way.add(next);
            at = next.to();
        } while (at != to);
        stages = List.copyOf(way);
    }

    private static CastStage next(KernelSet kernels, NumberType from, NumberType to) {
        NumberType way = via(from, to);
        NumberType target = ConvertFamily.knows(from, to) || way == from ? to : way;
        if (ConvertFamily.knows(from, target)) {
            return new KernelStage(kernels, from, target, false);
        }
        return Arrays.stream(LoopStage.values())
                .filter(stage -> stage.from() == from && stage.to() == target)
                .findFirst()
                .orElseThrow();
    }

    /**
     * The type to which numbers are first converted where no kernel converts them directly; their own type if there is
     * none.
     */
    private static NumberType via(NumberType from, NumberType to) {
        return switch (from) {
            case S4 -> NumberType.S8;
            case U4 -> NumberType.U8;
            case F64 ->
                switch (to) {
                    case F64, BOOL, U32, S64, U64 -> to;
                    default -> NumberType.S32;
                };
            default ->
                switch (to) {
                    case S4 -> NumberType.S8;
                    case U4 -> NumberType.U8;
                    default -> from == NumberType.U64 ? NumberType.U64 : NumberType.S64;
                };
        };
    }

    /**
     * Converts the first {@code count} numbers. No segment may be freed before that is done.
     *
     * @param source native memory (heap memory only where kernels are interpreted), as well as the target
     * @throws IndexOutOfBoundsException if a segment is too short
     * @throws IllegalArgumentException if the segments overlap
     */
    public void run(MemorySegment source, MemorySegment target, long count, Parallel parallel) {
        CallChecks.bytes("the source of the cast", source, from.bytes(count));
        CallChecks.bytes("the target of the cast", target, to.bytes(count));
        CallChecks.writable("the target of the cast", target);
        CallChecks.apart("the target of the cast", target, "its source", source);
        List<CastStage> way = isStreamed(target, count) ? List.of(new KernelStage(kernels, from, to, true)) : stages;
        int tasks = ParallelThresholds.tasks(count, ParallelThresholds.ELEMENTS, parallel.width());
        if (tasks == 1) {
            part(way, source, target, 0, count);
            return;
        }
        long each = (count / tasks + GRAIN - 1) / GRAIN * GRAIN;
        parallel.run(tasks, task -> {
            long first = Math.min(count, task * each);
            part(way, source, target, first, task == tasks - 1 ? count : Math.min(count, first + each));
        });
    }

    private boolean isStreamed(MemorySegment target, long count) {
        return ConvertFamily.knows(from, to)
                && ConvertFamily.canStream(to)
                && streaming.suits(target, to.bytes(count), kernels.target());
    }

    private static void part(List<CastStage> stages, MemorySegment source, MemorySegment target, long first, long end) {
        if (stages.size() == 1) {
            stages.getFirst().run(source, first, target, first, end - first);
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment even = arena.allocate(Long.BYTES * CHUNK, Long.BYTES);
            MemorySegment odd = arena.allocate(Long.BYTES * CHUNK, Long.BYTES);
            for (long at = first; at < end; at += CHUNK) {
                chunk(stages, source, target, at, Math.min(CHUNK, end - at), even, odd);
            }
        }
    }

    private static void chunk(
            List<CastStage> stages,
            MemorySegment source,
            MemorySegment target,
            long first,
            long count,
            MemorySegment even,
            MemorySegment odd) {
        for (int i = 0; i < stages.size(); i++) {
            boolean isFirst = i == 0;
            boolean isLast = i == stages.size() - 1;
            MemorySegment read = isFirst ? source : i % 2 == 1 ? even : odd;
            MemorySegment written = isLast ? target : i % 2 == 0 ? even : odd;
            stages.get(i).run(read, isFirst ? first : 0, written, isLast ? first : 0, count);
        }
    }
}
