package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmShape;
import dev.millrace.kernels.gemm.GemmTile;
import java.util.ArrayList;
import java.util.List;

/** Products of a few tiles of rows with packed panels, whole vectors wide. */
final class PanelProduct {
    private final int tileRows;
    private final int panelVectors;
    private final List<CompiledKernel> kernels;

    PanelProduct(KernelSet set) {
        GemmShape shape = GemmShape.of(set.target());
        tileRows = shape.rows();
        panelVectors = shape.vectors();
        List<KernelKey> keys = new ArrayList<>();
        for (int rows = 1; rows <= tileRows; rows++) {
            for (int vectors = 1; vectors <= panelVectors; vectors++) {
                keys.add(new GemmTile.Variant(rows, vectors, false, false, Epilogue.NONE).key());
                keys.add(new GemmTile.Variant(rows, vectors, false, true, Epilogue.NONE).key());
            }
        }
        kernels = set.kernels(keys);
    }

    /**
     * C = A B, or C += A B.
     *
     * @param strides from row to row of A | of C &lt;&lt; 32, in bytes
     * @param depth columns of A
     */
    void call(
            Memory memory,
            long a,
            long panel,
            long c,
            long strides,
            int rows,
            int vectors,
            int depth,
            boolean accumulate) {
        int tiles = (rows + tileRows - 1) / tileRows;
        int high = (rows + tiles - 1) / tiles;
        int lowTiles = tiles * high - rows;
        int highTiles = tiles - lowTiles;
        kernel(high, vectors, accumulate).call(memory, a, panel, c, 0, strides, depth | (long) highTiles << 32);
        if (lowTiles > 0) {
            long done = (long) highTiles * high;
            kernel(high - 1, vectors, accumulate)
                    .call(
                            memory,
                            a + done * (strides & 0xffffffffL),
                            panel,
                            c + done * (strides >>> 32),
                            0,
                            strides,
                            depth | (long) lowTiles << 32);
        }
    }

    private CompiledKernel kernel(int rows, int vectors, boolean accumulate) {
        return kernels.get(2 * ((rows - 1) * panelVectors + vectors - 1) + (accumulate ? 1 : 0));
    }
}
