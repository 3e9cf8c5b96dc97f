package dev.millrace.codegen.asm;

/** The width of a vector register. */
public enum Width {
    X(16, "xmm"),
    Y(32, "ymm"),
    Z(64, "zmm");

    private final int bytes;
    private final String prefix;

    Width(int bytes, String prefix) {
        this.bytes = bytes;
        this.prefix = prefix;
    }

    public int bytes() {
        return bytes;
    }

    /** The start of the register names of this width: {@code ymm}. */
    public String prefix() {
        return prefix;
    }

    /** The narrowest register that holds that many bytes. */
    static Width holding(int bytes) {
        return bytes <= 16 ? X : bytes == 32 ? Y : Z;
    }
}
