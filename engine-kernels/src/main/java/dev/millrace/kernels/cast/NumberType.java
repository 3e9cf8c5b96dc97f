package dev.millrace.kernels.cast;

/** The storage type of numbers. Those of 4 bits are packed, the first one in the lower half of a byte. */
public enum NumberType {
    F32(32, Kind.FLOAT),
    F16(16, Kind.FLOAT),
    BF16(16, Kind.FLOAT),
    F64(64, Kind.FLOAT),
    S4(4, Kind.SIGNED),
    S8(8, Kind.SIGNED),
    S16(16, Kind.SIGNED),
    S32(32, Kind.SIGNED),
    S64(64, Kind.SIGNED),
    U4(4, Kind.UNSIGNED),
    U8(8, Kind.UNSIGNED),
    U16(16, Kind.UNSIGNED),
    U32(32, Kind.UNSIGNED),
    U64(64, Kind.UNSIGNED),
    /** A byte that is 0 or 1. */
    BOOL(8, Kind.UNSIGNED);

    private enum Kind {
        FLOAT,
        SIGNED,
        UNSIGNED
    }

    private final int bits;
    private final Kind kind;

    NumberType(int bits, Kind kind) {
        this.bits = bits;
        this.kind = kind;
    }

    public int bits() {
        return bits;
    }

    /** The size of {@code count} numbers in bytes. */
    public long bytes(long count) {
        return bits < Byte.SIZE ? count / 2 + count % 2 : Math.multiplyExact(count, bits / Byte.SIZE);
    }

    public boolean isFloat() {
        return kind == Kind.FLOAT;
    }

    public boolean isSigned() {
        return kind != Kind.UNSIGNED;
    }

    /** Whether a lane of 32 bits holds a number in a form that programs can compute with. */
    public boolean fitsLane() {
        return bits >= Byte.SIZE && bits <= Integer.SIZE;
    }
}
