package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.gemm.GemmShape;

/**
 * The packed layout of stored weights: panels as wide as an fp32 tile, in each of them the blocks of its columns one
 * after another. A block is the scales of its columns, their zero points as floats if there are any, then its groups.
 * The last panel has as many whole vectors as it needs, and the last block is a whole one, padded with zeros.
 */
record WeightPanels(WeightFormat format, long k, long n, int lanes, int vectors) {
    static WeightPanels of(WeightFormat format, Target target, long k, long n) {
        if (k < 0 || n < 0) {
            throw new IllegalArgumentException("there are weights for " + k + " rows and " + n + " columns");
        }
        return new WeightPanels(
                format, k, n, target.lanes(), GemmShape.of(target).vectors());
    }

    String name() {
        return format.type() + " block " + format.block() + (format.zeros() ? " zeros" : "")
                + (format.halfScales() ? " half scales" : "") + " panel " + columns() + " vector " + lanes;
    }

    int columns() {
        return lanes * vectors;
    }

    long blocks() {
        return (k + format.block() - 1) / format.block();
    }

    long panels() {
        return (n + columns() - 1) / columns();
    }

    int width(long panel) {
        return (int) Math.min(columns(), n - panel * columns());
    }

    int vectorsOf(long panel) {
        return (width(panel) + lanes - 1) / lanes;
    }

    /** Bytes of a block in a panel. */
    long blockBytes(long panel) {
        return (long) format.blockBytes() * vectorsOf(panel) * lanes;
    }

    long panel(long panel) {
        return panel * columns() * blocks() * format.blockBytes();
    }

    /** The offset of the scale of a block of a column. Zero points follow behind all scales of a panel, then the groups. */
    long scale(long block, long column) {
        long panel = column / columns();
        return panel(panel) + block * blockBytes(panel) + format.scaleBytes() * (column % columns());
    }

    /** The offset of the zero point of a block of a column. */
    long zero(long block, long column) {
        long panel = column / columns();
        long scales = (long) format.scaleBytes() * vectorsOf(panel) * lanes;
        return panel(panel) + block * blockBytes(panel) + scales + Float.BYTES * (column % columns());
    }

    /** The offset of a group of a block of a column. */
    long group(long block, int group, long column) {
        long panel = column / columns();
        long row = (long) vectorsOf(panel) * lanes;
        return panel(panel)
                + block * blockBytes(panel)
                + format.termBytes() * row
                + format.type().groupBytes() * (group * row + column % columns());
    }

    long byteSize() {
        long padded = Math.addExact(n, lanes - 1) / lanes * lanes;
        return Math.multiplyExact(Math.multiplyExact(padded, blocks()), format.blockBytes());
    }
}
