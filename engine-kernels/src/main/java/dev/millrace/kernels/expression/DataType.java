package dev.millrace.kernels.expression;

import dev.millrace.kernels.program.Element;

/** How elements lie in memory. All are computed with as {@link Kind}s of 32 bits. */
public enum DataType {
    F32(Kind.FLOAT, Element.WORD),
    F16(Kind.FLOAT, Element.F16),
    /** The upper half of a float. Stored, rounded to nearest even. */
    BF16(Kind.FLOAT, Element.U16),
    S32(Kind.INT, Element.WORD),
    /** Stored, as all narrow ints, by its lowest bits. */
    S16(Kind.INT, Element.S16),
    U16(Kind.INT, Element.U16),
    S8(Kind.INT, Element.S8),
    U8(Kind.INT, Element.U8),
    /** A byte that is 0 or 1. */
    BOOL(Kind.BOOL, Element.U8);

    private final Kind kind;
    private final Element element;

    DataType(Kind kind, Element element) {
        this.kind = kind;
        this.element = element;
    }

    public Kind kind() {
        return kind;
    }

    public int bytes() {
        return element.bytes();
    }

    Element element() {
        return element;
    }
}
