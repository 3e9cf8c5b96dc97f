package dev.millrace.kernels.attention;

/** The two products of an attention, for blocks of rows and keys of one head at a time. */
interface HeadBlocks {
    /** Turns to a head of keys and values. */
    void head(int batch, int keyHead);

    /** Writes the scores of some rows of Q, given by pointer and stride in bytes, and some keys. */
    void scores(long queries, long queryStride, int rows, int key, int keys);

    /** Adds the values of some keys, by their weights, to the sums; those of key 0 come first. */
    void values(int rows, int key, int keys);
}
