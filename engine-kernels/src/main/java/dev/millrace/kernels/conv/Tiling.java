package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * The choice of tiles for a row of pixels and a number of blocks of output channels. It minimises the estimated cycles
 * of one step of the sums: two products per cycle, two loads per cycle, and no less than the latency that a chain of
 * additions needs.
 */
final class Tiling {
    private static final double PRODUCTS_PER_CYCLE = 2;
    private static final double LOADS_PER_CYCLE = 2;
    private static final double LATENCY = 4;
    /** Cycles of a step beyond that: fewer, larger tiles win where all else is equal. */
    private static final double OVERHEAD = 0.2;

    private final Target target;
    private final ConvInput input;
    private final int taps;
    private final int rowPixels;
    /** The most pixels of a tile in a whole row, by the number of blocks; 0 until it is computed. */
    private final int[] bestOfRow = new int[ConvTile.MAX_BLOCKS + 1];

    /**
     * @param taps taps in a row
     * @param rowPixels pixels in a row of output
     */
    Tiling(Target target, ConvInput input, int taps, int rowPixels) {
        this.taps = Math.min(taps, ConvTile.MAX_TAPS);
        this.target = target;
        this.input = input;
        this.rowPixels = rowPixels;
    }

    private static double stepCycles(int pixels, int blocks) {
        double products = pixels * blocks / PRODUCTS_PER_CYCLE;
        double loads = (pixels + blocks) / LOADS_PER_CYCLE;
        double latency = LATENCY / Math.max(1, Math.min(4, 8 / (pixels * blocks)));
        return Math.max(products, Math.max(loads, latency)) + OVERHEAD;
    }

    /**
     * Returns the number of tiles of at most {@code most} pixels that make a row; their widths differ by one at most.
     */
    private static int tiles(int row, int most) {
        return (row + most - 1) / most;
    }

    private static double rowCycles(int row, int blocks, int most) {
        int tiles = tiles(row, most);
        int low = row / tiles;
        int high = row % tiles;
        return high * stepCycles(low + 1, blocks) + (tiles - high) * stepCycles(low, blocks);
    }

    private int bestPixels(int row, int blocks) {
        if (row != rowPixels) {
            return cheapest(row, blocks);
        }
        if (bestOfRow[blocks] == 0) {
            bestOfRow[blocks] = cheapest(row, blocks);
        }
        return bestOfRow[blocks];
    }

    private int cheapest(int row, int blocks) {
        int best = 1;
        double fewest = rowCycles(row, blocks, 1);
        int end = input.maxPixels(target, blocks, taps);
        for (int most = 2; most <= end; most++) {
            double cycles = rowCycles(row, blocks, most);
            if (cycles < fewest) {
                fewest = cycles;
                best = most;
            }
        }
        return best;
    }

    /** Returns the widths of the tiles that make {@code row} pixels, the wider ones first. */
    List<Integer> widths(int row, int blocks) {
        int tiles = tiles(row, bestPixels(row, blocks));
        List<Integer> widths = new ArrayList<>();
        for (int tile = 0; tile < tiles; tile++) {
            widths.add(row / tiles + (tile < row % tiles ? 1 : 0));
        }
        return widths;
    }

    /** Cuts a number of blocks of output channels into groups that a tile computes together. */
    List<Integer> groups(int outBlocks) {
        double[] row = new double[ConvTile.MAX_BLOCKS + 1];
        for (int blocks = 1; blocks <= Math.min(outBlocks, ConvTile.MAX_BLOCKS); blocks++) {
            row[blocks] = rowCycles(rowPixels, blocks, bestPixels(rowPixels, blocks));
        }
        double[] cycles = new double[outBlocks + 1];
        int[] last = new int[outBlocks + 1];
        for (int end = 1; end <= outBlocks; end++) {
            cycles[end] = Double.MAX_VALUE;
            for (int blocks = 1; blocks <= Math.min(end, ConvTile.MAX_BLOCKS); blocks++) {
                if (cycles[end - blocks] + row[blocks] < cycles[end]) {
                    cycles[end] = cycles[end - blocks] + row[blocks];
                    last[end] = blocks;
                }
            }
        }
        List<Integer> groups = new ArrayList<>();
        for (int end = outBlocks; end > 0; end -= last[end]) {
            groups.add(last[end]);
        }
        return groups;
    }
}
