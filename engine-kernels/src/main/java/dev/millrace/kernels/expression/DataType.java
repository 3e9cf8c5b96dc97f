package dev.millrace.kernels.expression;

import dev.millrace.kernels.cast.NumberType;

/** How elements lie in memory. All are computed with as {@link Kind}s of 32 bits. */
public enum DataType {
    F32(Kind.FLOAT, NumberType.F32),
    F16(Kind.FLOAT, NumberType.F16),
    /** The upper half of a float. Stored, rounded to nearest even. */
    BF16(Kind.FLOAT, NumberType.BF16),
    S32(Kind.INT, NumberType.S32),
    /** Stored, as all narrow ints, by its lowest bits. */
    S16(Kind.INT, NumberType.S16),
    U16(Kind.INT, NumberType.U16),
    S8(Kind.INT, NumberType.S8),
    U8(Kind.INT, NumberType.U8),
    /** A byte that is 0 or 1. */
    BOOL(Kind.BOOL, NumberType.BOOL);

    private final Kind kind;
    private final NumberType numbers;

    DataType(Kind kind, NumberType numbers) {
        this.kind = kind;
        this.numbers = numbers;
    }

    public Kind kind() {
        return kind;
    }

    public int bytes() {
        return numbers.bits() / Byte.SIZE;
    }

    NumberType numbers() {
        return numbers;
    }
}
