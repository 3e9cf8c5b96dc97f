package dev.millrace.kernels.lowp;

/** The type of stored weights of products in fp32. */
public enum WeightType {
    /** IEEE half precision. */
    F16(1, 2),
    /** bfloat16, the upper half of a float. */
    BF16(2, 4),
    /** Unsigned numbers of four bits, with a scale and perhaps a zero point for each block of a column. */
    INT4(8, 4),
    /** Unsigned bytes, with a scale and perhaps a zero point for each block of a column. */
    INT8(4, 4);

    private final int group;
    private final int groupBytes;

    WeightType(int group, int groupBytes) {
        this.group = group;
        this.groupBytes = groupBytes;
    }

    /** The number of contiguous weights of a column in a group. */
    int group() {
        return group;
    }

    /** The size of a group in bytes. */
    int groupBytes() {
        return groupBytes;
    }

    boolean isBlocked() {
        return this == INT4 || this == INT8;
    }

    /** The zero point where none is given. */
    int middle() {
        return this == INT4 ? 8 : this == INT8 ? 128 : 0;
    }
}
