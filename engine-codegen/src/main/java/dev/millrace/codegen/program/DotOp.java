package dev.millrace.codegen.program;

/** Sums of products of small elements, added to a lane of 32 bits. Only targets that say so have them. */
public enum DotOp {
    /** Four bytes without sign times four with sign, added to an int; wraps around. */
    U8S8("u8s8"),
    /**
     * Two bfloat16 times two, added to a float: the upper product first, then the lower, each product and sum rounded
     * once; denormals are zeros, on the way in and out.
     */
    BF16("bf16");

    private final String symbol;

    DotOp(String symbol) {
        this.symbol = symbol;
    }

    public String symbol() {
        return symbol;
    }
}
