package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.gemm.GemmShape;

/**
 * The blocks of an attention, and the offsets of the parts of a task's scratch memory, in bytes.
 *
 * <p>With few rows keys and values are read in place, else they are packed into panels once for each head.
 * Stored rows are converted to a block of floats first.
 */
record AttentionLayout(
        boolean few,
        boolean rowsAreHeads,
        int blockRows,
        int blockKeys,
        int panelVectors,
        int lanes,
        long state,
        long scores,
        long sums,
        long keys,
        long values,
        long converted,
        long bytes) {
    private static final int BLOCK_ROWS = 48;
    private static final int BLOCK_KEYS = 128;
    private static final int BLOCK_KEYS_OF_FEW = 256;
    /** A block of converted rows that the first-level cache holds. */
    private static final int BLOCK_KEYS_OF_CONVERTED = 64;
    /** The fewest queries for which packing pays. */
    private static final int MIN_QUERIES_TO_PACK = 8;
    /** The fewest heads of a single query for which packing pays. */
    private static final int MIN_HEADS_TO_PACK = 17;

    private static final int ALIGNMENT = 64;

    /** @param converts whether keys or values are converted block by block */
    static AttentionLayout of(AttentionShape shape, Target target, boolean converts) {
        GemmShape tile = GemmShape.of(target);
        int lanes = target.lanes();
        boolean rowsAreHeads = shape.queries() == 1 && shape.group() > 1;
        int rows = Math.max(1, rowsAreHeads ? shape.group() : shape.queries());
        boolean few = rows < (rowsAreHeads ? MIN_HEADS_TO_PACK : MIN_QUERIES_TO_PACK);
        int blocks = (rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
        int blockRows = few ? rows : Math.min(BLOCK_ROWS, up((rows + blocks - 1) / blocks, tile.rows()));
        int blockKeys = !few ? BLOCK_KEYS : converts ? BLOCK_KEYS_OF_CONVERTED : BLOCK_KEYS_OF_FEW;
        long state = up(SoftmaxArguments.BYTES, ALIGNMENT);
        long scores = state + up(stateBytes(lanes) * blockRows, ALIGNMENT);
        long sums = scores + 4L * blockRows * blockKeys;
        long keys = sums + 4L * blockRows * up(shape.valueDepth(), lanes);
        long values = keys + (few ? 0 : 4L * shape.depth() * up(shape.keys(), lanes));
        long converted = up(values + (few ? 0 : 4L * shape.keys() * up(shape.valueDepth(), lanes)), ALIGNMENT);
        long bytes = converted + (converts ? 4L * blockKeys * Math.max(shape.depth(), shape.valueDepth()) : 0);
        return new AttentionLayout(
                few,
                rowsAreHeads,
                blockRows,
                blockKeys,
                tile.vectors(),
                lanes,
                state,
                scores,
                sums,
                keys,
                values,
                converted,
                up(bytes, ALIGNMENT));
    }

    private static int stateBytes(int lanes) {
        return 4 * ScoreRows.STATE_VECTORS * lanes;
    }

    static int up(int number, int to) {
        return (number + to - 1) / to * to;
    }

    private static long up(long number, int to) {
        return (number + to - 1) / to * to;
    }

    /** The number of rows that share a head of keys, at least 1. */
    int rows(AttentionShape shape) {
        return rowsAreHeads ? shape.group() : shape.queries();
    }

    int blocksOfRows(AttentionShape shape) {
        return (rows(shape) + blockRows - 1) / blockRows;
    }

    /** The number of groups of rows for each head of keys. */
    int headsOfRows(AttentionShape shape) {
        return rowsAreHeads ? 1 : shape.group();
    }

    int panelColumns() {
        return panelVectors * lanes;
    }

    int stateBytes() {
        return blockRows * stateBytes(lanes);
    }

    int scoreStride() {
        return 4 * blockKeys;
    }

    int sumStride(AttentionShape shape) {
        return 4 * up(shape.valueDepth(), lanes);
    }
}
