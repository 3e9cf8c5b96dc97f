package dev.millrace.kernels.attention;

/**
 * The sizes of an attention.
 *
 * @param heads of the queries
 * @param keyHeads of the keys and values; divides heads, each of them serving as many heads in a row
 * @param queries rows of Q for each head
 * @param keys rows of K and V for each head
 * @param depth elements in a row of Q and K
 * @param valueDepth elements in a row of V and of the output
 */
public record AttentionShape(int batch, int heads, int keyHeads, int queries, int keys, int depth, int valueDepth) {
    private static final int MAX_DEPTH = 1 << 16;

    public AttentionShape {
        if (batch < 0 || queries < 0 || keys < 0) {
            throw new IllegalArgumentException(
                    "an attention has a batch of " + batch + ", " + queries + " queries and " + keys + " keys");
        }
        if (keyHeads < 1 || heads < 1 || heads % keyHeads != 0) {
            throw new IllegalArgumentException(heads + " heads do not share " + keyHeads + " heads of keys evenly");
        }
        if (depth < 1 || depth > MAX_DEPTH || valueDepth < 1 || valueDepth > MAX_DEPTH) {
            throw new IllegalArgumentException(
                    "rows have " + depth + " and " + valueDepth + " elements, not 1 to " + MAX_DEPTH);
        }
    }

    /** How many heads share one head of keys and values. */
    public int group() {
        return heads / keyHeads;
    }
}
