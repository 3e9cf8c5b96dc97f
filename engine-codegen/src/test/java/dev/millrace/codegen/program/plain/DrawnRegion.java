package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.Element;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The memory of one pointer, which grows as it is accessed. Offsets may be negative. */
final class DrawnRegion {
    /** The value of bytes that are not accessed. */
    static final byte UNTOUCHED = 0x5a;

    private static final int LIMIT = 1 << 18;
    private static final int MOST_VECTOR_BYTES = 64;
    private static final int LEAST_ROOM = 1 << 10;

    /** Marks of a byte: whether it was accessed, and its index in a float, a half or a double that is NaN. */
    private static final int TOUCHED = 0x80;

    private static final int NAN_FLOAT = 1;
    private static final int NAN_HALF = NAN_FLOAT + Float.BYTES;
    private static final int NAN_DOUBLE = NAN_HALF + Short.BYTES;
    /** The mark of a bfloat16 that is NaN: the upper half of a float, which programs store as an int. */
    private static final int NAN_UPPER_HALF = NAN_DOUBLE + Double.BYTES;

    private static final int UPPER_HALF_OF_INFINITY = 0x7f80;

    /** The offset of the first byte of the arrays. */
    private int start;

    private byte[] before = {};
    private byte[] now = {};
    private byte[] marks = {};
    private boolean aligned;
    private int low = Integer.MAX_VALUE;
    private int high = Integer.MIN_VALUE;
    /** The pointers among the contents, by offset. */
    private final Map<Integer, Long> pointers = new HashMap<>();

    boolean isEmpty() {
        return low > high;
    }

    /** The first offset that was accessed. */
    int low() {
        return isEmpty() ? 0 : low;
    }

    int size() {
        return isEmpty() ? 0 : high - low;
    }

    Map<Integer, Long> pointers() {
        return pointers;
    }

    byte[] before() {
        return Arrays.copyOfRange(before, low() - start, low() - start + size());
    }

    byte[] now() {
        return Arrays.copyOfRange(now, low() - start, low() - start + size());
    }

    /** Whether none of these bytes was accessed, so that their contents may still be chosen. */
    boolean isFresh(long offset, int bytes) {
        return touched(offset, bytes) == 0;
    }

    /** Whether all of these bytes were accessed. */
    boolean isTouched(long offset, int bytes) {
        return touched(offset, bytes) == bytes;
    }

    private int touched(long offset, int bytes) {
        reach(offset, bytes);
        int count = 0;
        for (int i = 0; i < bytes; i++) {
            count += (marks[index(offset) + i] & TOUCHED) != 0 ? 1 : 0;
        }
        return count;
    }

    /** Requires that the region begins at the start of a vector. */
    void align() {
        aligned = true;
    }

    /** Ends the accesses: extends the region to whole vectors by bytes that must not change. */
    void settle() {
        if (aligned && !isEmpty()) {
            int from = low & -MOST_VECTOR_BYTES;
            reach(from, (high - from + MOST_VECTOR_BYTES - 1) & -MOST_VECTOR_BYTES);
        }
    }

    /** Sets the contents of the bytes that have none. */
    void fill(long offset, int bytes, long bits) {
        reach(offset, bytes);
        for (int i = 0; i < bytes; i++) {
            int at = index(offset) + i;
            if ((marks[at] & TOUCHED) == 0) {
                marks[at] = (byte) TOUCHED;
                before[at] = (byte) (bits >>> 8 * i);
                now[at] = before[at];
            }
        }
    }

    /**
     * Reads bytes.
     *
     * @throws IndexOutOfBoundsException if these are parts of a NaN: the bits of a NaN that arithmetic makes are
     *     undefined
     */
    long read(long offset, int bytes) {
        for (int i = 1; i < bytes; i++) {
            if ((nan(offset) == 0 ? 0 : nan(offset) + i) != nan(offset + i)) {
                throw new IndexOutOfBoundsException("part of a NaN is read");
            }
        }
        int whole = switch (bytes) {
            case Double.BYTES -> NAN_DOUBLE;
            case Float.BYTES -> NAN_FLOAT;
            default -> nan(offset) == NAN_UPPER_HALF ? NAN_UPPER_HALF : NAN_HALF;
        };
        if (nan(offset) != 0 && nan(offset) != whole) {
            throw new IndexOutOfBoundsException("a NaN is read as something else");
        }
        long bits = 0;
        for (int i = 0; i < bytes; i++) {
            bits |= (now[index(offset) + i] & 0xffL) << 8 * i;
        }
        return bits;
    }

    private int nan(long offset) {
        return marks[index(offset)] & ~TOUCHED & 0xff;
    }

    void write(Element element, long offset, long bits) {
        int nan = switch (element) {
            case WORD -> Float.isNaN(Float.intBitsToFloat((int) bits)) ? NAN_FLOAT : 0;
            case F16 -> Float.isNaN(Float.float16ToFloat((short) bits)) ? NAN_HALF : 0;
            case F64 -> Double.isNaN(Double.longBitsToDouble(bits)) ? NAN_DOUBLE : 0;
            case U16 -> (bits & Short.MAX_VALUE) > UPPER_HALF_OF_INFINITY ? NAN_UPPER_HALF : 0;
            default -> 0;
        };
        for (int i = 0; i < element.bytes(); i++) {
            now[index(offset) + i] = (byte) (bits >>> 8 * i);
            marks[index(offset) + i] = (byte) (TOUCHED | (nan == 0 ? 0 : nan + i));
        }
    }

    void write(long offset, DrawnRegion from, long fromOffset, int bytes) {
        System.arraycopy(from.now, from.index(fromOffset), now, index(offset), bytes);
        System.arraycopy(from.marks, from.index(fromOffset), marks, index(offset), bytes);
    }

    /**
     * Whether a byte, counted from the first accessed one, is correct; the bits of a NaN need only be those of any NaN.
     */
    boolean accepts(int place, byte got) {
        byte wanted = now[low - start + place];
        return wanted == got
                || switch (nan(low + place)) {
                    case 0 -> false;
                    case NAN_FLOAT + 2, NAN_UPPER_HALF -> (got & 0x80) != 0;
                    case NAN_DOUBLE + 6 -> (got & 0xf0) == 0xf0;
                    case NAN_HALF + 1 -> (got & 0x7c) == 0x7c;
                    case NAN_FLOAT + 3, NAN_DOUBLE + 7, NAN_UPPER_HALF + 1 -> (got & 0x7f) == 0x7f;
                    default -> true;
                };
    }

    private int index(long offset) {
        return (int) offset - start;
    }

    private void reach(long offset, int bytes) {
        if (offset < -LIMIT || offset + bytes > LIMIT) {
            throw new IndexOutOfBoundsException("offset " + offset);
        }
        int from = (int) offset;
        int end = from + bytes;
        if (now.length == 0 || from < start || end > start + now.length) {
            grow(Math.min(from, isEmpty() ? from : low), Math.max(end, isEmpty() ? end : high));
        }
        low = Math.min(low, from);
        high = Math.max(high, end);
    }

    private void grow(int from, int end) {
        int room = Math.max(LEAST_ROOM, end - from);
        int newStart = from - room;
        int length = end + room - newStart;
        before = moved(before, newStart, length, UNTOUCHED);
        now = moved(now, newStart, length, UNTOUCHED);
        marks = moved(marks, newStart, length, (byte) 0);
        start = newStart;
    }

    private byte[] moved(byte[] bytes, int newStart, int length, byte fresh) {
        byte[] grown = new byte[length];
        Arrays.fill(grown, fresh);
        if (!isEmpty()) {
            System.arraycopy(bytes, low - start, grown, low - newStart, high - low);
        }
        return grown;
    }
}
