package dev.millrace.kernels.gemm;

import dev.millrace.kernels.program.Target;

/**
 * The tile of a machine, and the blocks of the driver that go with its caches.
 *
 * @param rows of a full tile
 * @param vectors of a full tile
 * @param depth how much of K is done at a time, so that a panel of B stays in the first-level cache
 */
public record GemmShape(int rows, int vectors, int depth) {
    /** As many sums as registers allow: more of them per load of A and B. */
    public static GemmShape of(Target target) {
        int rows = target.vectors() < 16 ? 4 : 6;
        return new GemmShape(rows, target.vectors() < 32 ? 2 : 4, 512);
    }

    /** How many panels so few rows should be multiplied with at once, so that there are sums for all registers. */
    int panelsAtOnce(long rowsOfProduct, Target target) {
        int panels = 1;
        while (2 * panels <= GemmTile.MAX_PANELS
                && rowsOfProduct < rows
                && fits((int) rowsOfProduct, 2 * panels * vectors, target)) {
            panels *= 2;
        }
        return panels;
    }

    private static boolean fits(int height, int width, Target target) {
        return height * width + Math.min(height, width) + 1 <= target.vectors();
    }
}
