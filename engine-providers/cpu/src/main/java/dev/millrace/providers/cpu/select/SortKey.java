package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.CellLoops;
import java.lang.foreign.MemorySegment;

/** Elements as longs of the same order. NaN stands above everything; both zeros are one. */
final class SortKey {
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

    /** The keys of all elements. */
    static long[] all(Tensor tensor) {
        if (tensor.type().isFloating()) {
            return keys(tensor.doubles());
        }
        long[] keys = tensor.longs();
        for (int i = 0; i < keys.length && tensor.type() == ElementType.UINT64; i++) {
            keys[i] ^= Long.MIN_VALUE;
        }
        return keys;
    }

    private static long[] keys(double[] values) {
        long[] keys = new long[values.length];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = of(values[i]);
        }
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
