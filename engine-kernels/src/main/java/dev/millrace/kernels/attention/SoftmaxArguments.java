package dev.millrace.kernels.attention;

/** The offsets in bytes of the arguments of the kernels over scores in their block of memory. */
final class SoftmaxArguments {
    /** Pointer to the scores; their rows have room for whole vectors. */
    static final int SCORES = 0;

    static final int SCORE_STRIDE = 8;
    static final int ROWS = 16;
    /** The number of keys in the block. */
    static final int KEYS = 24;
    /** The number of keys that take part in the first row, not yet limited to the keys of the block. */
    static final int VALID = 32;
    /** The number by which the keys that take part increase from row to row. */
    static final int VALID_STEP = 40;
    /** Pointer to the states of the rows. */
    static final int STATE = 48;
    /** Pointer to the running sums of the rows. */
    static final int SUMS = 56;

    static final int SUM_STRIDE = 64;
    /** The number of vectors in each row of sums to be rescaled. */
    static final int SUM_VECTORS = 72;
    /** A float; times log2(e) where the rule is nothing but the scale. */
    static final int SCALE = 80;
    /** The soft cap, a float. */
    static final int CAP = 84;
    /** The reciprocal of the soft cap, a float. */
    static final int CAP_INVERSE = 88;
    /** Pointer to the mask of the first row. */
    static final int MASK = 96;

    static final int MASK_STRIDE = 104;
    /** Pointer to the slope of the first row. */
    static final int SLOPES = 112;

    static final int SLOPE_STRIDE = 120;
    /** The position of the first key minus that of the first row's query. */
    static final int DISTANCE = 128;
    /** The distance from the position of one row's query to the next. */
    static final int ROW_STEP = 136;

    /** 1 in the first block of keys, when states are not read, else 0. */
    static final int FIRST = 144;

    /** Pointer to the sink of the first row. */
    static final int SINKS = 152;

    static final int SINK_STRIDE = 160;

    static final int BYTES = 168;

    private SoftmaxArguments() {}
}
