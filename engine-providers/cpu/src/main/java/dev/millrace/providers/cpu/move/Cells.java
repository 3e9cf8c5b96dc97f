package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * How elements become cells of 1, 2, 4, 8 or 16 bytes, so that what moves them knows sizes only. Most are cells as they
 * are. Packed elements are spread to a byte each; strings become numbers into a pool, in which number zero is the empty
 * string.
 */
public final class Cells {
    private final List<String> pool = new ArrayList<>(List.of(""));

    /** Bytes of the cell of an element. */
    public static int size(ElementType type) {
        return type == ElementType.STRING ? 4 : Math.max(1, type.bits() / 8);
    }

    /** Whether elements of this type have to be converted to become cells. */
    public static boolean areConverted(ElementType type) {
        return type == ElementType.STRING || type.isPacked();
    }

    /** The type as which cells of converted elements are computed on. */
    public static ElementType computedAs(ElementType type) {
        return !type.isPacked() ? type : type.kind() == ElementType.Kind.SIGNED ? ElementType.INT8 : ElementType.UINT8;
    }

    public static MemorySegment allocate(ElementType type, long count) {
        return OwnMemory.allocate(Math.max(1, count * size(type)), 64);
    }

    /** The cells of a tensor: its own memory where elements are cells already, else a copy. */
    public MemorySegment of(Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            return ofStrings(tensor.strings());
        }
        return tensor.type().isPacked() ? unpack(tensor.type(), tensor.segment(), tensor.elements()) : tensor.segment();
    }

    MemorySegment ofStrings(String[] strings) {
        MemorySegment cells = allocate(ElementType.STRING, strings.length);
        for (int i = 0; i < strings.length; i++) {
            cells.set(ByteLayouts.INT, i * 4L, pool.size());
            pool.add(strings[i]);
        }
        return cells;
    }

    static MemorySegment unpack(ElementType type, MemorySegment packed, long count) {
        MemorySegment cells = allocate(type, count);
        for (long i = 0; i < count; i++) {
            long value = type == ElementType.FLOAT4E2M1
                    ? (packed.get(ByteLayouts.BYTE, i / 2) >>> (i % 2 * 4)) & 15
                    : Elements.getLong(type, packed, i);
            cells.set(ByteLayouts.BYTE, i, (byte) value);
        }
        return cells;
    }

    /** Converts cells back into the elements of {@code tensor}. */
    public void store(MemorySegment cells, Tensor tensor) {
        if (tensor.type() == ElementType.STRING) {
            storeStrings(cells, tensor.strings());
        } else if (tensor.type().isPacked()) {
            pack(tensor.type(), cells, tensor.segment(), tensor.elements());
        } else {
            MemorySegment.copy(cells, 0, tensor.segment(), 0, tensor.segment().byteSize());
        }
    }

    void storeStrings(MemorySegment cells, String[] strings) {
        for (int i = 0; i < strings.length; i++) {
            strings[i] = pool.get(cells.get(ByteLayouts.INT, i * 4L));
        }
    }

    static void pack(ElementType type, MemorySegment cells, MemorySegment packed, long count) {
        ElementType stored = type == ElementType.FLOAT4E2M1 ? ElementType.UINT4 : type;
        for (long i = 0; i < count; i++) {
            Elements.setLong(stored, packed, i, cells.get(ByteLayouts.BYTE, i));
        }
    }
}
