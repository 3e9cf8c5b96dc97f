package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Target;

/**
 * The shape of the register tile for a machine, and the depth of the driver's blocks for its caches.
 *
 * @param rows rows of a full tile
 * @param vectors vectors in a row of a full tile
 * @param depth the most elements of K in a block, so that a panel of B stays in the second-level cache
 */
public record GemmShape(int rows, int vectors, int depth) {
    private static final int PANEL_BYTES = 1 << 17;
    private static final long UNROLL = 4;

    /** Returns the shape with as many sums as there are registers for: more of them per load of A and B. */
    public static GemmShape of(Target target) {
        int rows = target.vectors() < 16 ? 4 : 6;
        int vectors = target.vectors() < 32 ? 2 : 4;
        return new GemmShape(rows, vectors, PANEL_BYTES / (vectors * target.vectorBytes()));
    }

    /**
     * Returns the depth of a block for a given K: blocks of nearly equal depth, in whole steps of the unrolled tiles.
     */
    long depthOf(long k) {
        long parts = Math.max(1, Math.ceilDiv(k, depth));
        return Math.min(depth, Math.ceilDiv(Math.ceilDiv(k, parts), UNROLL) * UNROLL);
    }

    /**
     * Returns the number of panels that a tile of few rows should read at once, so that there are sums for all
     * registers.
     *
     * @param masked whether loads of B need a mask
     */
    int panelsAtOnce(long rowsOfProduct, boolean masked, Target target) {
        int mask = masked && target.masks() == 0 ? 1 : 0;
        int panels = 1;
        while (2 * panels <= GemmTile.MAX_PANELS
                && rowsOfProduct < rows
                && registers((int) rowsOfProduct, 2 * panels * vectors) + mask <= target.vectors()) {
            panels *= 2;
        }
        return panels;
    }

    /** Returns the number of vectors of the widest tile for products of few rows. */
    int widest(int rowsOfProduct, Target target) {
        return vectors * panelsAtOnce(rowsOfProduct, false, target);
    }

    /** Returns the registers of a tile: the sums, the shorter one of the two factors, and one element of the other. */
    private static int registers(int height, int width) {
        return height * width + Math.min(height, width) + 1;
    }
}
