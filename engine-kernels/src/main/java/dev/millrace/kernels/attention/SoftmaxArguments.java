package dev.millrace.kernels.attention;

/** Where the arguments of the kernels over scores are in their block of memory, in bytes. */
final class SoftmaxArguments {
    /** Pointer to the scores; their rows have room for whole vectors. */
    static final int SCORES = 0;

    static final int SCORE_STRIDE = 8;
    static final int ROWS = 16;
    /** How many keys the block has. */
    static final int KEYS = 24;
    /** How many keys of the block take part in the first row, cut to what the block has. */
    static final int VALID = 32;
    /** How many more take part in each further row. */
    static final int VALID_STEP = 40;
    /** Pointer to the states of the rows. */
    static final int STATE = 48;
    /** Pointer to what the rows have summed up. */
    static final int SUMS = 56;

    static final int SUM_STRIDE = 64;
    /** How many vectors of each row are to be scaled. */
    static final int SUM_VECTORS = 72;
    /** A float; times log2(e) where nothing else is done to scores. */
    static final int SCALE = 80;
    /** A float. */
    static final int CAP = 84;
    /** A float. */
    static final int CAP_INVERSE = 88;
    /** Pointer to the mask of the first row. */
    static final int MASK = 96;

    static final int MASK_STRIDE = 104;
    /** Pointer to the slope of the first row. */
    static final int SLOPES = 112;

    static final int SLOPE_STRIDE = 120;
    /** The first key's place less that of the first row's query. */
    static final int DISTANCE = 128;
    /** From the place of one row's query to the next. */
    static final int ROW_STEP = 136;

    /** 1 in the first block of keys, when states are not read, else 0. */
    static final int FIRST = 144;

    static final int BYTES = 152;

    private SoftmaxArguments() {}
}
