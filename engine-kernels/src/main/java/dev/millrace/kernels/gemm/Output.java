package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Element;

/** The element type of a result. Numbers become bytes rounded to nearest even and saturated; NaN becomes 0. */
public enum Output {
    F32(Element.WORD, 0, 0),
    U8(Element.U8, 0, 255),
    S8(Element.U8, -128, 127);

    private final Element element;
    private final int least;
    private final int most;

    Output(Element element, int least, int most) {
        this.element = element;
        this.least = least;
        this.most = most;
    }

    Element element() {
        return element;
    }

    /** The size of an element in bytes. */
    public int bytes() {
        return element.bytes();
    }

    int least() {
        return least;
    }

    int most() {
        return most;
    }
}
