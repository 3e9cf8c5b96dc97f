package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;
import java.lang.foreign.MemorySegment;

/** The lanes of a tensor along one axis: {@code count} of them, {@code length} elements each, {@code inner} apart. */
public record Lanes(long count, int length, long inner) {

    public static Lanes along(Shape shape, int axis) {
        return between(shape, axis, axis + 1);
    }

    /** Lanes that run over the axes {@code [from, to)}, taken as one. */
    public static Lanes between(Shape shape, int from, int to) {
        long inner = shape.elements(to, shape.rank());
        return new Lanes(
                shape.elements(0, from) * inner, Extents.toInt("elements of a lane", shape.elements(from, to)), inner);
    }

    /** Where a lane starts, in elements. */
    public long start(long lane) {
        return lane / inner * length * inner + lane % inner;
    }

    public void read(ElementType type, MemorySegment from, long lane, double[] to) {
        read(type, from, start(lane), inner, to, length);
    }

    public void read(ElementType type, MemorySegment from, long lane, long[] to) {
        read(type, from, start(lane), inner, to, length);
    }

    /** Reads {@code count} elements that are {@code step} apart. */
    static void read(ElementType type, MemorySegment from, long first, long step, double[] to, int count) {
        if (step == 1) {
            Elements.read(type, from, first, to, 0, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            to[i] = Elements.getDouble(type, from, first + i * step);
        }
    }

    /** Reads {@code count} elements that are {@code step} apart. */
    static void read(ElementType type, MemorySegment from, long first, long step, long[] to, int count) {
        if (step == 1) {
            Elements.read(type, from, first, to, 0, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            to[i] = Elements.getLong(type, from, first + i * step);
        }
    }

    public void write(ElementType type, MemorySegment to, long lane, double[] from) {
        long at = start(lane);
        if (inner == 1) {
            Elements.write(type, to, at, from, 0, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            Elements.setDouble(type, to, at + i * inner, from[i]);
        }
    }

    public void write(ElementType type, MemorySegment to, long lane, long[] from) {
        long at = start(lane);
        if (inner == 1) {
            Elements.write(type, to, at, from, 0, length);
            return;
        }
        for (int i = 0; i < length; i++) {
            Elements.setLong(type, to, at + i * inner, from[i]);
        }
    }
}
