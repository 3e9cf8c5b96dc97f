package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.move.CellLoops;
import java.lang.foreign.MemorySegment;

/** Elements as longs of the same order. NaN stands above everything; both zeros are one. */
final class SortKey {
    private SortKey() {}

    static long of(ElementType type, MemorySegment from, long index) {
        if (type.isFloating()) {
            long bits = Double.doubleToLongBits(Elements.getDouble(type, from, index) + 0.0);
            return bits ^ ((bits >> 63) & Long.MAX_VALUE);
        }
        long value = Elements.getLong(type, from, index);
        return type == ElementType.UINT64 ? value ^ Long.MIN_VALUE : value;
    }

    static void copy(ElementType type, MemorySegment from, long index, MemorySegment to, long at) {
        if (type.isPacked()) {
            Elements.setLong(type, to, at, Elements.getLong(type, from, index));
        } else {
            CellLoops.copy(type.bits() / 8, from, index, to, at, 1);
        }
    }
}
