package dev.millrace.kernels.quantise;

import dev.millrace.codegen.program.Element;

/** The type of quantised elements. Those of 4 bits are packed in pairs, the first one in the lower half of a byte. */
public enum QuantisedType {
    U8(8, 0, 255, Element.U8),
    S8(8, -128, 127, Element.S8),
    U16(16, 0, 65535, Element.U16),
    S16(16, -32768, 32767, Element.S16),
    U4(4, 0, 15, Element.U8),
    S4(4, -8, 7, Element.U8);

    private final int bits;
    private final int least;
    private final int most;
    private final Element element;

    QuantisedType(int bits, int least, int most, Element element) {
        this.bits = bits;
        this.least = least;
        this.most = most;
        this.element = element;
    }

    public int bits() {
        return bits;
    }

    public int least() {
        return least;
    }

    public int most() {
        return most;
    }

    /** Returns the size of {@code elements} elements in bytes. */
    public long bytes(long elements) {
        return bits == 4 ? elements / 2 + elements % 2 : Math.multiplyExact(elements, bits / 8);
    }

    boolean isHalfByte() {
        return bits == 4;
    }

    /** The memory type with which elements, or pairs of 4 bits, are loaded. */
    Element loaded() {
        return element;
    }

    /** The memory type with which elements, or pairs of 4 bits, are stored. */
    Element stored() {
        return bits == 16 ? Element.U16 : Element.U8;
    }
}
