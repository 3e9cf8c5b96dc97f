package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Target;

/**
 * The tile of a machine, and the blocks of the driver that go with its caches.
 *
 * @param rows of a full tile
 * @param vectors of a full tile
 * @param depth how much of K is done at a time at most, so that a panel of B stays in the second-level cache
 */
public record GemmShape(int rows, int vectors, int depth) {
    private static final int PANEL_BYTES = 1 << 17;
    private static final long UNROLL = 4;

    /** As many sums as registers allow: more of them per load of A and B. */
    public static GemmShape of(Target target) {
        int rows = target.vectors() < 16 ? 4 : 6;
        int vectors = target.vectors() < 32 ? 2 : 4;
        return new GemmShape(rows, vectors, PANEL_BYTES / (vectors * target.vectorBytes()));
    }

    /** How much of this K is done at a time: parts of nearly equal size, whole steps of the unrolled tiles. */
    long depthOf(long k) {
        long parts = Math.max(1, Math.ceilDiv(k, depth));
        return Math.min(depth, Math.ceilDiv(Math.ceilDiv(k, parts), UNROLL) * UNROLL);
    }

    /**
     * How many panels so few rows should be multiplied with at once, so that there are sums for all registers.
     *
     * @param masked whether reading B takes a mask
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

    /** Vectors of the widest tile that so few rows are done with. */
    int widest(int rowsOfProduct, Target target) {
        return vectors * panelsAtOnce(rowsOfProduct, false, target);
    }

    /** The sums, the shorter one of the two factors, and one element of the other. */
    private static int registers(int height, int width) {
        return height * width + Math.min(height, width) + 1;
    }
}
