package dev.millrace.codegen.program;

/** How the elements of a vector lie in memory. A register has a 32-bit lane for each. */
public enum Element {
    /** 32 bits as they are. */
    WORD(4),
    /** A byte without sign. Stored, the lowest 8 bits of an int. */
    U8(1),
    /** A byte with sign. */
    S8(1),
    /** 16 bits without sign. Stored, the lowest 16 bits of an int. */
    U16(2),
    /** 16 bits with sign. */
    S16(2),
    /** A half-precision float, a float in a register. Stored, rounded to nearest even. */
    F16(2),
    /** A double, rounded to the nearest float in a register, to even. Stored, the double of the same value. */
    F64(8),
    /** Two bytes without sign for each lane, which become 16 bits each. */
    U8_PAIR(2),
    /** Two bytes with sign for each lane, which become 16 bits each. */
    S8_PAIR(2);

    private final int bytes;

    Element(int bytes) {
        this.bytes = bytes;
    }

    /** In memory, for one lane. */
    public int bytes() {
        return bytes;
    }

    public boolean isPair() {
        return this == U8_PAIR || this == S8_PAIR;
    }

    public boolean canBeStored() {
        return this == WORD || this == U8 || this == U16 || this == F16 || this == F64;
    }

    /** Whether vectors of it can be written past the caches. */
    public boolean canBeStreamed() {
        return this == WORD || this == F64;
    }
}
