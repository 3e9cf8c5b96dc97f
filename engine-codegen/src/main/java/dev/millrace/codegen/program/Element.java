package dev.millrace.codegen.program;

/** The type of a vector's elements in memory. A register has a 32-bit lane for each. */
public enum Element {
    /** 32 bits as they are. */
    WORD(4),
    /** An unsigned byte. A store writes the lowest 8 bits of an int. */
    U8(1),
    /** A signed byte. */
    S8(1),
    /** An unsigned 16-bit integer. A store writes the lowest 16 bits of an int. */
    U16(2),
    /** A signed 16-bit integer. */
    S16(2),
    /** A half-precision float, which is a float in a register. A store rounds to nearest even. */
    F16(2),
    /** A double. A load rounds it to the nearest float, ties to even. A store writes the double of the same value. */
    F64(8),
    /** Two unsigned bytes for each lane, which become 16 bits each. */
    U8_PAIR(2),
    /** Two signed bytes for each lane, which become 16 bits each. */
    S8_PAIR(2);

    private final int bytes;

    Element(int bytes) {
        this.bytes = bytes;
    }

    /** The number of bytes in memory for one lane. */
    public int bytes() {
        return bytes;
    }

    public boolean isPair() {
        return this == U8_PAIR || this == S8_PAIR;
    }

    public boolean canBeStored() {
        return this == WORD || this == U8 || this == U16 || this == F16 || this == F64;
    }

    /** Whether vectors of it can be written with non-temporal stores, past the caches. */
    public boolean canBeStreamed() {
        return this == WORD || this == F64;
    }
}
