package dev.millrace.codegen.program;

/** The operation of a step that computes each lane from two values. Floats are rounded to nearest even. */
public enum BinaryOp {
    ADD("+", true),
    SUB("-", false),
    MUL("*", true),
    DIV("/", false),
    /** {@code a < b ? a : b}: the second when either is NaN, or both are zeros. */
    MIN("min", false),
    /** {@code a > b ? a : b}: the second when either is NaN, or both are zeros. */
    MAX("max", false),
    AND("&", true),
    OR("|", true),
    XOR("^", true),
    INT_ADD("+i", true),
    INT_SUB("-i", false),
    /** Shifts left by the same constant in all lanes, 0 to 31. */
    SHIFT_LEFT("<<", false),
    /** Shifts right by the same constant in all lanes, 0 to 31, and fills with zeros. */
    SHIFT_RIGHT(">>>", false),
    /** Shifts right by the same constant in all lanes, 0 to 31, and fills with the sign. */
    SHIFT_RIGHT_SIGNED(">>", false),
    /** The lower 32 bits of the product of ints. */
    INT_MUL("*i", true),
    INT_MIN("min i", true),
    INT_MAX("max i", true),
    /** The sums of the 16-bit halves, each wrapping around. */
    ADD_S16("+16", true),
    /** The sums of the signed 16-bit halves, each saturated. */
    ADD_S16_SATURATED("+16s", true),
    /** The sum of the products of the signed 16-bit halves, as vpmaddwd computes it. */
    DOT_S16("dot16", true),
    /**
     * The saturated sum of two unsigned bytes of a times two signed bytes of b in each 16-bit half, as vpmaddubsw
     * computes it.
     */
    DOT_U8S8_SATURATED("dot8", false),
    /** Interleaves the lower lanes of each block of four: a0 b0 a1 b1. */
    INTERLEAVE_LOW("low", false),
    /** Interleaves the upper lanes of each block of four: a2 b2 a3 b3. */
    INTERLEAVE_HIGH("high", false),
    /** Concatenates the lower pairs of each block of four lanes: a0 a1 b0 b1. */
    JOIN_LOW("low pairs", false),
    /** Concatenates the upper pairs of each block of four lanes: a2 a3 b2 b3. */
    JOIN_HIGH("high pairs", false),
    /** Selects the even lanes of each block of four: a0 a2 b0 b2. */
    EVEN_LANES("even lanes", false),
    /** Selects the odd lanes of each block of four: a1 a3 b1 b3. */
    ODD_LANES("odd lanes", false),
    /** Selects the blocks of four lanes number 0, 2, ... of a, then of b. Needs two blocks. */
    EVEN_BLOCKS("even blocks", false),
    /** Selects the blocks of four lanes number 1, 3, ... of a, then of b. Needs two blocks. */
    ODD_BLOCKS("odd blocks", false),
    /** Packs the lanes of a, then those of b, in each block of four, each saturated to 16 bits with sign. */
    PACK_S16("pack s16", false),
    /**
     * Packs the 16-bit halves of a, then those of b, in each block of four lanes, each saturated to an unsigned byte.
     */
    PACK_U8("pack u8", false),
    /** Packs the 16-bit halves of a, then those of b, in each block of four lanes, each saturated to a signed byte. */
    PACK_S8("pack s8", false),
    /** {@code a * 2^b}, rounded once, for a between 0.25 and 4 and an integral b between -252 and 252. */
    SCALE("scale", false);

    private final String symbol;
    private final boolean commutative;

    BinaryOp(String symbol, boolean commutative) {
        this.symbol = symbol;
        this.commutative = commutative;
    }

    public String symbol() {
        return symbol;
    }

    public boolean commutative() {
        return commutative;
    }

    public boolean isShift() {
        return this == SHIFT_LEFT || this == SHIFT_RIGHT || this == SHIFT_RIGHT_SIGNED;
    }

    /** Whether it moves lanes to other positions. */
    public boolean movesLanes() {
        return switch (this) {
            case INTERLEAVE_LOW, INTERLEAVE_HIGH, JOIN_LOW, JOIN_HIGH, EVEN_LANES, ODD_LANES, EVEN_BLOCKS, ODD_BLOCKS ->
                true;
            default -> false;
        };
    }

    /** Whether it packs lanes into parts of lanes. */
    public boolean packs() {
        return this == PACK_S16 || this == PACK_U8 || this == PACK_S8;
    }

    private boolean isOfHalves() {
        return this == ADD_S16 || this == ADD_S16_SATURATED || this == DOT_S16 || this == DOT_U8S8_SATURATED;
    }

    /** Whether constants must be in registers, since there is no form with a broadcast from memory. */
    public boolean wantsRegisters() {
        return movesLanes() || packs() || isOfHalves();
    }
}
