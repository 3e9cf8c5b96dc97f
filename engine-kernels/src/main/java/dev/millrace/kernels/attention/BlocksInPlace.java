package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.Memory;

/** Few rows: keys and values are read by rows, since each is needed but once or little more. */
final class BlocksInPlace implements HeadBlocks {
    private final AttentionKernelTable kernels;
    private final AttentionLayout layout;
    private final AttentionShape shape;
    private final Memory memory;
    private final RowReader keyRows;
    private final RowReader valueRows;
    private final long scores;
    private final long sums;

    BlocksInPlace(
            AttentionKernelTable kernels,
            AttentionLayout layout,
            AttentionShape shape,
            Memory memory,
            long scratch,
            RowReader keyRows,
            RowReader valueRows) {
        this.kernels = kernels;
        this.layout = layout;
        this.shape = shape;
        this.memory = memory;
        this.keyRows = keyRows;
        this.valueRows = valueRows;
        scores = scratch + layout.scores();
        sums = scratch + layout.sums();
    }

    @Override
    public void head(int batch, int keyHead) {
        keyRows.head(batch, keyHead);
        valueRows.head(batch, keyHead);
    }

    @Override
    public void scores(long queries, long queryStride, int rows, int key, int keys) {
        long stride = keyRows.stride();
        kernels.dots.call(
                memory,
                queries,
                keyRows.rows(key, keys),
                scores,
                layout.scoreStride() | queryStride << 32,
                shape.depth() | stride << 32,
                keys | (long) rows << 32);
    }

    @Override
    public void values(int rows, int key, int keys) {
        long from = valueRows.rows(key, keys);
        for (int row = 0; row < rows; row += WeightedRows.MAX_ROWS) {
            values(from, row, Math.min(WeightedRows.MAX_ROWS, rows - row), keys);
        }
    }

    private void values(long from, int row, int rows, int keys) {
        int lanes = layout.lanes();
        int depth = shape.valueDepth();
        int widest = WeightedRows.widest(rows) * lanes;
        int sumStride = layout.sumStride(shape);
        long stride = valueRows.stride();
        for (int column = 0; column < depth; column += widest) {
            int width = Math.min(widest, depth - column);
            int vectors = (width + lanes - 1) / lanes;
            int tail = width - (vectors - 1) * lanes;
            kernels.weighted(rows, vectors, tail < lanes)
                    .call(
                            memory,
                            scores + (long) row * layout.scoreStride(),
                            from + 4L * column,
                            sums + (long) row * sumStride + 4L * column,
                            layout.scoreStride() | (long) sumStride << 32,
                            keys | (long) tail << 32,
                            stride);
        }
    }
}
