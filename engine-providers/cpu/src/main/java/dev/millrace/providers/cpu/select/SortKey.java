package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.CellLoops;
import java.lang.foreign.MemorySegment;

/** Elements as longs of the same order. NaN stands above everything; both zeros are one. */
final class SortKey {
    private static final int BLOCK = 4096;

    private SortKey() {}

    static long of(ElementType type, MemorySegment from, long index) {
        if (type.isFloating()) {
            return of(Elements.getDouble(type, from, index));
        }
        long value = Elements.getLong(type, from, index);
        return type == ElementType.UINT64 ? value ^ Long.MIN_VALUE : value;
    }

    private static long of(double value) {
        long bits = Double.doubleToLongBits(value + 0.0);
        return bits ^ ((bits >> 63) & Long.MAX_VALUE);
    }

    /** The keys of {@code count} elements that are {@code step} apart, the first of them at {@code at}. */
    static void read(ElementType type, MemorySegment from, long first, long step, long[] keys, int at, int count) {
        if (step == 1 && !type.isFloating() && type != ElementType.UINT64) {
            Elements.read(type, from, first, keys, at, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            keys[at + i] = of(type, from, first + i * step);
        }
    }

    /** The keys of all elements. */
    static long[] all(Tensor tensor) {
        if (!tensor.type().isFloating()) {
            long[] keys = tensor.longs();
            for (int i = 0; i < keys.length && tensor.type() == ElementType.UINT64; i++) {
                keys[i] ^= Long.MIN_VALUE;
            }
            return keys;
        }
        long[] keys = new long[Math.toIntExact(tensor.elements())];
        double[] block = new double[Math.min(BLOCK, keys.length)];
        for (int at = 0; at < keys.length; at += BLOCK) {
            int count = Math.min(BLOCK, keys.length - at);
            Elements.read(tensor.type(), tensor.segment(), at, block, 0, count);
            convert(block, keys, at, count);
        }
        return keys;
    }

    private static void convert(double[] values, long[] keys, int at, int count) {
        for (int i = 0; i < count; i++) {
            keys[at + i] = of(values[i]);
        }
    }

    static void copy(ElementType type, MemorySegment from, long index, MemorySegment to, long at) {
        if (type.isPacked()) {
            Elements.setLong(type, to, at, Elements.getLong(type, from, index));
        } else {
            CellLoops.copy(type.bits() / 8, from, index, to, at, 1);
        }
    }
}
