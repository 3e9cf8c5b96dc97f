package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.RunServices;
import java.lang.foreign.MemorySegment;

/**
 * The one-dimensional lines ("lanes") of a tensor along an axis: {@code count} of them, with {@code length} elements
 * each at a distance of {@code inner}.
 */
public record Lanes(long count, int length, long inner) {
    /** The number of elements of a line between two checks for cancellation. */
    private static final int AT_ONCE = 1 << 16;

    public static Lanes along(Shape shape, int axis) {
        return between(shape, axis, axis + 1);
    }

    /** Returns lines that run over the axes {@code [from, to)}, merged into one. */
    public static Lanes between(Shape shape, int from, int to) {
        long inner = shape.elements(to, shape.rank());
        return new Lanes(
                shape.elements(0, from) * inner,
                ArrayExtents.toInt("elements of a lane", shape.elements(from, to)),
                inner);
    }

    /** The index of the first element of a line. */
    public long start(long lane) {
        return lane / inner * length * inner + lane % inner;
    }

    public void read(RunServices run, ElementType type, MemorySegment from, long lane, double[] to) {
        long start = start(lane);
        for (int at = 0; at < length; at += AT_ONCE) {
            run.checkCancelled();
            read(type, from, start + at * inner, inner, to, at, Math.min(AT_ONCE, length - at));
        }
    }

    public void read(RunServices run, ElementType type, MemorySegment from, long lane, long[] to) {
        long start = start(lane);
        for (int at = 0; at < length; at += AT_ONCE) {
            run.checkCancelled();
            read(type, from, start + at * inner, inner, to, at, Math.min(AT_ONCE, length - at));
        }
    }

    /** Reads {@code count} elements at a distance of {@code step}. */
    static void read(ElementType type, MemorySegment from, long first, long step, double[] to, int at, int count) {
        if (step == 1) {
            Elements.read(type, from, first, to, at, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            to[at + i] = Elements.getDouble(type, from, first + i * step);
        }
    }

    /** Reads {@code count} elements at a distance of {@code step}. */
    static void read(ElementType type, MemorySegment from, long first, long step, long[] to, int at, int count) {
        if (step == 1) {
            Elements.read(type, from, first, to, at, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            to[at + i] = Elements.getLong(type, from, first + i * step);
        }
    }

    public void write(RunServices run, ElementType type, MemorySegment to, long lane, double[] from) {
        long start = start(lane);
        for (int at = 0; at < length; at += AT_ONCE) {
            run.checkCancelled();
            int count = Math.min(AT_ONCE, length - at);
            if (inner == 1) {
                Elements.write(type, to, start + at, from, at, count);
                continue;
            }
            for (int i = at; i < at + count; i++) {
                Elements.setDouble(type, to, start + i * inner, from[i]);
            }
        }
    }

    public void write(RunServices run, ElementType type, MemorySegment to, long lane, long[] from) {
        long start = start(lane);
        for (int at = 0; at < length; at += AT_ONCE) {
            run.checkCancelled();
            int count = Math.min(AT_ONCE, length - at);
            if (inner == 1) {
                Elements.write(type, to, start + at, from, at, count);
                continue;
            }
            for (int i = at; i < at + count; i++) {
                Elements.setLong(type, to, start + i * inner, from[i]);
            }
        }
    }
}
