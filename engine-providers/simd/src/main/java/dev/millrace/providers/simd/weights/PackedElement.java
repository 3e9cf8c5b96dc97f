package dev.millrace.providers.simd.weights;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The piece of a constant that packing moves as a whole: an element, or four bytes that hold several.
 *
 * @param bytes 1, 2 or 4
 * @param flip the bits that packing inverts, such as the sign bits of unsigned bytes that kernels read as signed ones
 */
public record PackedElement(int bytes, int flip) {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    public PackedElement {
        if (bytes != 1 && bytes != 2 && bytes != 4 || bytes < 4 && flip >>> Byte.SIZE * bytes != 0) {
            throw EngineException.invalidGraph("the way back to a constant is one of units that there are not");
        }
    }

    /** Returns the units that a constant may have been packed in. */
    static List<PackedElement> of(Tensor constant) {
        ElementType type = constant.type();
        if (type == ElementType.STRING) {
            return List.of();
        }
        return switch (type.bits()) {
            case 32 -> List.of(new PackedElement(4, 0));
            case 16 -> List.of(new PackedElement(2, 0));
            case 8 ->
                List.of(
                        new PackedElement(1, 0),
                        new PackedElement(1, 0x80),
                        new PackedElement(4, 0x8888_8888),
                        new PackedElement(4, 0x8080_8080));
            case 4 -> List.of(new PackedElement(4, 0x8888_8888), new PackedElement(4, 0));
            default -> List.of();
        };
    }

    int bits() {
        return Byte.SIZE * bytes;
    }

    /** The extents of a constant in units, or null where its last axis is not a whole number of units. */
    long @Nullable [] dims(Tensor constant) {
        long[] dims = constant.shape().toArray();
        if (dims.length == 0 || constant.shape().elements() == 0) {
            return null;
        }
        int last = dims.length - 1;
        long bits = Math.multiplyExact(dims[last], (long) constant.type().bits());
        dims[last] = bits / bits();
        return bits % bits() == 0 ? dims : null;
    }

    int get(MemorySegment from, long index) {
        return switch (bytes) {
            case 1 -> from.get(ValueLayout.JAVA_BYTE, index) & 0xff;
            case 2 -> from.get(SHORT, index * 2) & 0xffff;
            default -> from.get(INT, index * 4);
        };
    }

    void set(MemorySegment to, long index, int value) {
        switch (bytes) {
            case 1 -> to.set(ValueLayout.JAVA_BYTE, index, (byte) value);
            case 2 -> to.set(SHORT, index * 2, (short) value);
            default -> to.set(INT, index * 4, value);
        }
    }

    /**
     * Reads {@code count} units from {@code first} on. Arrays are fast also before the loops over them are compiled.
     */
    void read(MemorySegment from, long first, int[] to, int count) {
        switch (bytes) {
            case 1 -> {
                byte[] raw = new byte[count];
                MemorySegment.copy(from, ValueLayout.JAVA_BYTE, first, raw, 0, count);
                for (int i = 0; i < count; i++) {
                    to[i] = raw[i] & 0xff;
                }
            }
            case 2 -> {
                short[] raw = new short[count];
                MemorySegment.copy(from, SHORT, first * 2, raw, 0, count);
                for (int i = 0; i < count; i++) {
                    to[i] = raw[i] & 0xffff;
                }
            }
            default -> MemorySegment.copy(from, INT, first * 4, to, 0, count);
        }
    }

    /** Writes {@code count} units from {@code first} on. */
    void write(int[] from, int count, MemorySegment to, long first) {
        switch (bytes) {
            case 1 -> {
                byte[] raw = new byte[count];
                for (int i = 0; i < count; i++) {
                    raw[i] = (byte) from[i];
                }
                MemorySegment.copy(raw, 0, to, ValueLayout.JAVA_BYTE, first, count);
            }
            case 2 -> {
                short[] raw = new short[count];
                for (int i = 0; i < count; i++) {
                    raw[i] = (short) from[i];
                }
                MemorySegment.copy(raw, 0, to, SHORT, first * 2, count);
            }
            default -> MemorySegment.copy(from, 0, to, INT, first * 4, count);
        }
    }

    /**
     * Whether {@code count} units from one on equal those of a packed run, which lie at a distance of {@code apart}.
     */
    boolean isSame(MemorySegment original, long unit, MemorySegment packed, long place, long apart, long count) {
        if (apart == 1 && flip == 0) {
            return MemorySegment.mismatch(
                            original,
                            unit * bytes,
                            (unit + count) * bytes,
                            packed,
                            place * bytes,
                            (place + count) * bytes)
                    == -1;
        }
        for (long i = 0; i < count; i++) {
            if (get(original, unit + i) != (get(packed, place + i * apart) ^ flip)) {
                return false;
            }
        }
        return true;
    }

    /** Unpacks a run of {@code count} units, which lie at a distance of {@code apart}, to their original place. */
    void putBack(MemorySegment packed, long place, long apart, MemorySegment original, long unit, long count) {
        if (apart == 1 && flip == 0) {
            MemorySegment.copy(packed, place * bytes, original, unit * bytes, count * bytes);
            return;
        }
        for (long i = 0; i < count; i++) {
            set(original, unit + i, get(packed, place + i * apart) ^ flip);
        }
    }
}
