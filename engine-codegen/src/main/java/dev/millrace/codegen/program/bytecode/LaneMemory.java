package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Element;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Memory accesses for generated code, where the Vector API has no method or one that may read too far. */
final class LaneMemory {
    /** The segment of all memory, in which addresses are offsets. */
    static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    static final ByteOrder ORDER = ByteOrder.nativeOrder();

    private LaneMemory() {}

    private static int readInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT_UNALIGNED, address);
    }

    private static short readShort(long address) {
        return ALL.get(ValueLayout.JAVA_SHORT_UNALIGNED, address);
    }

    private static byte readByte(long address) {
        return ALL.get(ValueLayout.JAVA_BYTE, address);
    }

    static void move(long to, long from, int bytes) {
        switch (bytes) {
            case 1 -> ALL.set(ValueLayout.JAVA_BYTE, to, readByte(from));
            case 2 -> ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, to, readShort(from));
            case 4 -> ALL.set(ValueLayout.JAVA_INT_UNALIGNED, to, readInt(from));
            default -> ALL.set(ValueLayout.JAVA_LONG_UNALIGNED, to, ALL.get(ValueLayout.JAVA_LONG_UNALIGNED, from));
        }
    }

    /** Reads an element that is no pair, as the bits of a lane. */
    static int read(Element element, long address) {
        return switch (element) {
            case U8 -> readByte(address) & 0xff;
            case S8 -> readByte(address);
            case U16 -> readShort(address) & 0xffff;
            case S16 -> readShort(address);
            case F16 -> Float.floatToRawIntBits(Float.float16ToFloat(readShort(address)));
            case F64 -> Float.floatToRawIntBits((float) ALL.get(ValueLayout.JAVA_DOUBLE_UNALIGNED, address));
            default -> readInt(address);
        };
    }

    /**
     * Reads the elements of the lanes in a mask; the others become zero.
     *
     * @param included the mask, a bit for each lane
     */
    static int[] read(Element element, long address, long included, int lanes) {
        int[] values = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            if ((included >> i & 1) != 0) {
                values[i] = read(element, address + (long) element.bytes() * i);
            }
        }
        return values;
    }

    /** Writes the elements of the lanes in a mask. */
    static void write(Element element, long address, long included, int[] values) {
        for (int i = 0; i < values.length; i++) {
            if ((included >> i & 1) != 0) {
                write(element, address + (long) element.bytes() * i, values[i]);
            }
        }
    }

    private static void write(Element element, long address, int value) {
        switch (element) {
            case U8 -> ALL.set(ValueLayout.JAVA_BYTE, address, (byte) value);
            case U16 -> ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, (short) value);
            case F16 ->
                ALL.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, Float.floatToFloat16(Float.intBitsToFloat(value)));
            case F64 -> ALL.set(ValueLayout.JAVA_DOUBLE_UNALIGNED, address, Float.intBitsToFloat(value));
            default -> ALL.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
        }
    }

    /** Gathers 32 bits at {@code base + 4 * index} for the lanes in a mask; the others become zero. */
    static int[] gather(long base, int[] indices, long included) {
        int[] values = new int[indices.length];
        for (int i = 0; i < values.length; i++) {
            if ((included >> i & 1) != 0) {
                values[i] = readInt(base + 4L * indices[i]);
            }
        }
        return values;
    }
}
