package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.Memory;

/** Many rows: keys, transposed, and values are packed into panels once for each head. */
final class PackedBlocks implements HeadBlocks {
    private final AttentionKernelTable kernels;
    private final AttentionLayout layout;
    private final AttentionCall call;
    private final AttentionShape shape;
    private final Memory memory;
    private final RowReader keyRows;
    private final RowReader valueRows;
    private final long scores;
    private final long sums;
    private final long packedKeys;
    private final long packedValues;
    private final int panelColumns;
    private final int lanes;
    private int count;

    PackedBlocks(
            AttentionKernelTable kernels,
            AttentionLayout layout,
            AttentionCall call,
            Memory memory,
            long scratch,
            RowReader keyRows,
            RowReader valueRows) {
        this.kernels = kernels;
        this.layout = layout;
        this.call = call;
        this.memory = memory;
        shape = call.shape();
        this.keyRows = keyRows;
        this.valueRows = valueRows;
        scores = scratch + layout.scores();
        sums = scratch + layout.sums();
        packedKeys = scratch + layout.keys();
        packedValues = scratch + layout.values();
        panelColumns = layout.panelColumns();
        lanes = layout.lanes();
    }

    /** How many vectors the panel from a column on has, of so many columns. */
    private int vectors(int column, int columns) {
        return Math.min(layout.panelVectors(), (columns - column + lanes - 1) / lanes);
    }

    @Override
    public void head(int batch, int keyHead) {
        count = call.visible().count(shape, batch);
        keyRows.head(batch, keyHead);
        valueRows.head(batch, keyHead);
        packKeys();
        for (int first = 0; first < count; first += Math.min(valueRows.most(), count - first)) {
            packValues(first, Math.min(valueRows.most(), count - first));
        }
    }

    private void packKeys() {
        long fromStride = keyRows.stride();
        for (int key = 0; key < count; key += lanes) {
            int panel = key / panelColumns * panelColumns;
            long to = packedKeys + 4L * panel * shape.depth() + 4L * (key - panel);
            long toStride = 4L * lanes * vectors(panel, count);
            int keys = Math.min(lanes, count - key);
            kernels.packKeys.call(memory, keyRows.rows(key, keys), to, fromStride, toStride, shape.depth(), keys);
        }
    }

    private void packValues(int first, int rows) {
        long from = valueRows.rows(first, rows);
        int depth = shape.valueDepth();
        for (int column = 0; column < depth; column += panelColumns) {
            int vectors = vectors(column, depth);
            int tail = Math.min(depth - column - (vectors - 1) * lanes, lanes);
            kernels.packValues(vectors)
                    .call(
                            memory,
                            from + 4L * column,
                            packedValues + 4L * column * count + 4L * first * vectors * lanes,
                            rows,
                            valueRows.stride(),
                            tail,
                            0);
        }
    }

    @Override
    public void scores(long queries, long queryStride, int rows, int key, int keys) {
        long strides = queryStride | (long) layout.scoreStride() << 32;
        for (int column = 0; column < keys; column += panelColumns) {
            int panel = key + column;
            kernels.product.call(
                    memory,
                    queries,
                    packedKeys + 4L * panel * shape.depth(),
                    scores + 4L * column,
                    strides,
                    rows,
                    vectors(panel, count),
                    shape.depth(),
                    false);
        }
    }

    @Override
    public void values(int rows, int key, int keys) {
        int depth = shape.valueDepth();
        long strides = layout.scoreStride() | (long) layout.sumStride(shape) << 32;
        for (int column = 0; column < depth; column += panelColumns) {
            int vectors = vectors(column, depth);
            kernels.product.call(
                    memory,
                    scores,
                    packedValues + 4L * column * count + 4L * key * vectors * lanes,
                    sums + 4L * column,
                    strides,
                    rows,
                    vectors,
                    keys,
                    key > 0);
        }
    }
}
