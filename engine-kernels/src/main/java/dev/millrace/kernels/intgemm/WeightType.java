package dev.millrace.kernels.intgemm;

/** How weights are stored for products in fp32. */
public enum WeightType {
    /** IEEE half precision. */
    F16(1, 2),
    /** The upper half of a float. */
    BF16(2, 4),
    /** Four bits without sign, with a scale and perhaps a zero point for each block of a column. */
    INT4(8, 4),
    /** Bytes without sign, likewise. */
    INT8(4, 4);

    private final int group;
    private final int groupBytes;

    WeightType(int group, int groupBytes) {
        this.group = group;
        this.groupBytes = groupBytes;
    }

    /** Weights of a column that lie together. */
    int group() {
        return group;
    }

    /** What they take. */
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
