package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.Memory;

/** Few rows: keys and values are read as they lie, since each is needed but once or little more. */
final class BlocksInPlace implements HeadBlocks {
    private final AttentionKernelTable kernels;
    private final AttentionLayout layout;
    private final AttentionCall call;
    private final Memory memory;
    private final long keysAt;
    private final long valuesAt;
    private final long scores;
    private final long sums;
    private long headOfKeys;
    private long headOfValues;

    BlocksInPlace(
            AttentionKernelTable kernels, AttentionLayout layout, AttentionCall call, Memory memory, long scratch) {
        this.kernels = kernels;
        this.layout = layout;
        this.call = call;
        this.memory = memory;
        keysAt = memory.pointer(call.keys().data());
        valuesAt = memory.pointer(call.values().data());
        scores = scratch + layout.scores();
        sums = scratch + layout.sums();
    }

    @Override
    public void head(int batch, int keyHead) {
        headOfKeys = keysAt + call.keys().offset(batch, keyHead, 0);
        headOfValues = valuesAt + call.values().offset(batch, keyHead, 0);
    }

    @Override
    public void scores(long queries, long queryStride, int rows, int key, int keys) {
        long stride = 4 * call.keys().rowStride();
        kernels.dots.call(
                memory,
                queries,
                headOfKeys + key * stride,
                scores,
                layout.scoreStride() | queryStride << 32,
                call.shape().depth() | stride << 32,
                keys | (long) rows << 32);
    }

    @Override
    public void values(int rows, int key, int keys) {
        for (int row = 0; row < rows; row += WeightedRows.MAX_ROWS) {
            values(row, Math.min(WeightedRows.MAX_ROWS, rows - row), key, keys);
        }
    }

    private void values(int row, int rows, int key, int keys) {
        int lanes = layout.lanes();
        int depth = call.shape().valueDepth();
        int widest = WeightedRows.widest(rows) * lanes;
        int sumStride = layout.sumStride(call.shape());
        long stride = 4 * call.values().rowStride();
        for (int column = 0; column < depth; column += widest) {
            int width = Math.min(widest, depth - column);
            int vectors = (width + lanes - 1) / lanes;
            int tail = width - (vectors - 1) * lanes;
            kernels.weighted(rows, vectors, tail < lanes)
                    .call(
                            memory,
                            scores + (long) row * layout.scoreStride(),
                            headOfValues + key * stride + 4L * column,
                            sums + (long) row * sumStride + 4L * column,
                            layout.scoreStride() | (long) sumStride << 32,
                            keys | (long) tail << 32,
                            stride);
        }
    }
}
