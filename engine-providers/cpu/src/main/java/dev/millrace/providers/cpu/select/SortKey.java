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
        if (step == 1) {
            readRun(type, from, first, keys, at, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            keys[at + i] = of(type, from, first + i * step);
        }
    }

    private static void readRun(ElementType type, MemorySegment from, long first, long[] keys, int at, int count) {
        if (!type.isFloating()) {
            Elements.read(type, from, first, keys, at, count);
            for (int i = 0; i < count && type == ElementType.UINT64; i++) {
                keys[at + i] ^= Long.MIN_VALUE;
            }
            return;
        }
        double[] block = new double[Math.min(BLOCK, count)];
        for (int done = 0; done < count; done += BLOCK) {
            int now = Math.min(BLOCK, count - done);
            Elements.read(type, from, first + done, block, 0, now);
            for (int i = 0; i < now; i++) {
                keys[at + done + i] = of(block[i]);
            }
        }
    }

    /** The keys of all elements. */
    static long[] all(Tensor tensor) {
        long[] keys = new long[Math.toIntExact(tensor.elements())];
        readRun(tensor.type(), tensor.segment(), 0, keys, 0, keys.length);
        return keys;
    }

    static void copy(ElementType type, MemorySegment from, long index, MemorySegment to, long at) {
        if (type.isPacked()) {
            Elements.setLong(type, to, at, Elements.getLong(type, from, index));
        } else {
            CellLoops.copy(type.bits() / 8, from, index, to, at, 1);
        }
    }
}
