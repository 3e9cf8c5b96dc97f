package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.Element;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory without a given layout: a byte that a program reads first is drawn at random, according to its role, and
 * stays. Afterwards the accessed bytes and their final contents are known.
 */
final class DrawnMemory extends SegmentMemory {
    private static final int OFFSET_BITS = 40;
    private static final long BIAS = 1L << OFFSET_BITS - 1;
    private static final int MOST_ACCESSES = 1 << 15;
    private static final int MOST_REGIONS = 64;

    private final List<DrawnRegion> regions = new ArrayList<>();
    private final Draw draw;
    private Role role = Role.DATA;
    private int accesses;

    DrawnMemory(Draw draw) {
        this.draw = draw;
    }

    /** Sets the role of the next read. */
    void expect(Role next) {
        role = next;
    }

    /** Draws a value for a parameter. */
    long draw(Role of) {
        return of == Role.POINTER ? newPointer() : draw.bits(of, Long.BYTES);
    }

    private long newPointer() {
        if (regions.size() == MOST_REGIONS) {
            throw new IndexOutOfBoundsException("too many pointers");
        }
        regions.add(new DrawnRegion());
        return (long) regions.size() << OFFSET_BITS | BIAS;
    }

    List<DrawnRegion> regions() {
        return regions;
    }

    /** Returns the number of the region to whose start a pointer from {@link #draw} points. */
    static int region(long pointer) {
        return (int) (pointer >>> OFFSET_BITS) - 1;
    }

    static long offsetOf(long pointer) {
        return (pointer & (1L << OFFSET_BITS) - 1) - BIAS;
    }

    private DrawnRegion touched(long pointer, int bytes, Role as) {
        long number = pointer >>> OFFSET_BITS;
        if (number < 1 || number > regions.size()) {
            throw new IndexOutOfBoundsException(Long.toHexString(pointer) + " is no pointer");
        }
        if (++accesses > MOST_ACCESSES) {
            throw new IndexOutOfBoundsException("it takes too long");
        }
        DrawnRegion region = regions.get((int) number - 1);
        long offset = offsetOf(pointer);
        if (as == Role.POINTER && region.isFresh(offset, bytes)) {
            long inner = newPointer();
            region.pointers().put((int) offset, inner);
            region.fill(offset, bytes, inner);
        } else if (!region.isTouched(offset, bytes)) {
            region.fill(offset, bytes, draw.bits(as == Role.POINTER ? Role.DATA : as, bytes));
        }
        return region;
    }

    /** Requires that a pointer is aligned, and with it its region. */
    void align(long pointer, int bytes) {
        if (offsetOf(pointer) % bytes != 0) {
            throw new IndexOutOfBoundsException(Long.toHexString(pointer) + " is not aligned");
        }
        regions.get(region(pointer)).align();
    }

    private long bits(long pointer, int bytes) {
        return touched(pointer, bytes, role).read(offsetOf(pointer), bytes);
    }

    @Override
    int read(long pointer) {
        return (int) bits(pointer, Integer.BYTES);
    }

    @Override
    long readLong(long pointer) {
        return bits(pointer, Long.BYTES);
    }

    @Override
    int read(Element element, long pointer) {
        long all = bits(pointer, element.bytes());
        int bits = (int) all;
        return switch (element) {
            case WORD, U8, U16 -> bits;
            case S8 -> (byte) bits;
            case S16 -> (short) bits;
            case F16 -> Float.floatToRawIntBits(Float.float16ToFloat((short) bits));
            case F64 -> Float.floatToRawIntBits((float) Double.longBitsToDouble(all));
            case U8_PAIR -> bits & 0xff | (bits >>> 8) << 16;
            case S8_PAIR -> (byte) bits & 0xffff | (byte) (bits >>> 8) << 16;
        };
    }

    @Override
    void write(Element element, long pointer, int value) {
        long bits = switch (element) {
            case F16 -> Float.floatToFloat16(Float.intBitsToFloat(value));
            case F64 -> Double.doubleToRawLongBits(Float.intBitsToFloat(value));
            default -> value;
        };
        touched(pointer, element.bytes(), Role.DATA).write(element, offsetOf(pointer), bits);
    }

    @Override
    void move(long to, long from, int bytes) {
        DrawnRegion source = touched(from, bytes, Role.DATA);
        touched(to, bytes, Role.DATA).write(offsetOf(to), source, offsetOf(from), bytes);
    }
}
