package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The planner of the calls of a Winograd convolution for some rows of squares. Their inputs are transformed, then,
 * group by group of output channels, multiplied by the weights product by product, and transformed back.
 */
final class WinogradPlanner {
    private static final int CACHE_LINE = 64;

    private final Target target;
    private final ConvShape shape;
    private final WinogradKind kind;
    private final WinogradWeights weights;
    private final KernelSet kernels;
    private final WinogradRow row;
    private final CompiledKernel transform;
    private final CompiledKernel transformBack;
    private final Map<Tile, CompiledKernel> tiles = new HashMap<>();
    private final int bytes;

    WinogradPlanner(KernelSet kernels, ConvShape shape, WinogradKind kind, WinogradWeights weights, Expr after) {
        this.kernels = kernels;
        target = kernels.target();
        this.shape = shape;
        this.kind = kind;
        this.weights = weights;
        row = new WinogradRow(
                kind, shape.width().in(), shape.width().out(), shape.width().before());
        transform = kernels.trusted(WinogradInput.key(row));
        transformBack = kernels.trusted(WinogradOutput.key(row, after));
        bytes = target.vectorBytes();
    }

    /** The properties by which tiles of the products differ. */
    private record Tile(int pixels, int blocks, boolean fetches) {}

    /**
     * Tiles of one width side by side.
     *
     * @param left the number of tiles after them
     */
    private record Run(int square, int width, int count, int left) {}

    /** A range of rows of squares. */
    record Band(int first, int end) {
        int rows() {
            return end - first;
        }

        /** Returns one of {@code parts} parts of nearly equal size. */
        Band part(int number, int parts) {
            return new Band(first + rows() * number / parts, first + rows() * (number + 1) / parts);
        }
    }

    int rowsOfSquares() {
        return (shape.height().out() + kind.outputs() - 1) / kind.outputs();
    }

    private int squares(Band band) {
        return band.rows() * squaresOfRow();
    }

    private int squaresOfRow() {
        return row.squares();
    }

    /** Bytes of the transformed input of some rows of squares. */
    long transformedBytes(int rows) {
        return kind.products() * apart(weights.inBlocks(), rows * row.squares());
    }

    /** Bytes of the products of a group, and of one patch. */
    long groupBytes(int rows) {
        return kind.products() * (apart(ConvTile.MAX_BLOCKS, rows * row.squares()) + bytes);
    }

    /**
     * The distance in bytes from product to product. It is no power of two, so that all products of a square fit into
     * the cache at once.
     */
    private long apart(int blocks, int squares) {
        return (long) blocks * squares * bytes + CACHE_LINE;
    }

    private static Argument plus(Argument start, long offset) {
        return Argument.at(start.base(), start.offset() + offset);
    }

    /** The number of blocks of input channels. */
    int inBlocks() {
        return weights.inBlocks();
    }

    /** Plans the transforms of all input channels of a band. */
    void transform(Band band, Argument transformed, Argument patch, CallPlan.Builder calls) {
        transform(band, band, 0, weights.inBlocks(), transformed, patch, calls);
    }

    /**
     * Plans the transforms of some blocks of input channels.
     *
     * @param of the band whose transformed inputs are stored together
     */
    void transform(
            Band band,
            Band of,
            int firstBlock,
            int blocks,
            Argument transformed,
            Argument patch,
            CallPlan.Builder calls) {
        Axis height = shape.height();
        long inRow = (long) shape.width().in() * bytes;
        long inBlock = inRow * height.in();
        long outBlock = (long) squares(of) * bytes;
        long start = firstBlock * outBlock;
        for (int number = band.first(); number < band.end(); number++) {
            int first = number * kind.outputs() - height.before();
            int top = Math.clamp(-(long) first, 0, kind.inputs());
            int rows = Math.clamp((long) height.in() - first, top, kind.inputs()) - top;
            Argument sizes = calls.sizes(
                    blocks,
                    (long) top * kind.inputs() * bytes,
                    rows,
                    inRow,
                    inBlock,
                    apart(weights.inBlocks(), squares(of)),
                    outBlock);
            calls.call(
                    transform,
                    (long) blocks * squaresOfRow() * kind.products() * target.lanes() * 6,
                    Argument.at(Base.INPUT, firstBlock * inBlock + (first + top) * inRow),
                    plus(transformed, start + (long) (number - of.first()) * squaresOfRow() * bytes),
                    patch,
                    sizes);
        }
    }

    /** Whether all squares of a band are whole and lie inside of the image. */
    boolean isInside(Band band) {
        Axis height = shape.height();
        int top = band.first() * kind.outputs() - height.before();
        int bottom = (band.end() - 1) * kind.outputs() - height.before() + kind.inputs();
        return top >= 0 && bottom <= height.in() && band.end() * kind.outputs() <= height.out();
    }

    /** Returns the distances in bytes from the calls of one band to those of another. */
    CallPlan.Away away(Band from, Band to) {
        long rows = (long) (to.first() - from.first()) * kind.outputs() * bytes;
        return new CallPlan.Away(
                rows * shape.width().in(), 0, rows * shape.width().out());
    }

    /** @return the groups of blocks of output channels that {@link #group} takes */
    List<Integer> groups(Band band) {
        return new Tiling(target, ConvInput.BLOCKED, 1, squares(band)).groups(weights.outBlocks());
    }

    /**
     * Plans the products and the back transforms of some blocks of output channels of a band.
     *
     * @param of the band whose transformed inputs are stored together
     */
    void group(
            Band band,
            Band of,
            int firstBlock,
            int blocks,
            Argument transformed,
            Argument scratch,
            CallPlan.Builder calls) {
        Argument start = plus(transformed, (long) (band.first() - of.first()) * squaresOfRow() * bytes);
        long blockBytes = (long) squares(band) * bytes;
        Argument products = plus(scratch, (long) kind.products() * bytes);
        List<Run> runs = runs(squares(band), blocks);
        for (int product = 0; product < kind.products(); product++) {
            boolean isLast = product + 1 == kind.products();
            int nextBlock = isLast ? (firstBlock + blocks) % weights.outBlocks() : firstBlock;
            multiply(
                    runs,
                    blocks,
                    (long) squares(of) * bytes,
                    blockBytes,
                    weights.start(product, firstBlock),
                    weights.start(isLast ? 0 : product + 1, nextBlock),
                    plus(start, product * apart(weights.inBlocks(), squares(of))),
                    plus(products, product * apart(blocks, squares(band))),
                    calls);
        }
        Axis height = shape.height();
        long outRow = (long) shape.width().out() * bytes;
        long outBlock = outRow * height.out();
        for (int number = band.first(); number < band.end(); number++) {
            int firstRow = number * kind.outputs();
            Argument sizes = calls.sizes(
                    blocks,
                    Math.min(kind.outputs(), height.out() - firstRow),
                    apart(blocks, squares(band)),
                    blockBytes,
                    outRow,
                    outBlock);
            long out = firstBlock * outBlock + firstRow * outRow;
            calls.call(
                    transformBack,
                    (long) blocks * squaresOfRow() * kind.products() * target.lanes() * 6,
                    plus(products, (long) (number - band.first()) * squaresOfRow() * bytes),
                    Argument.at(Base.OUTPUT, out),
                    Argument.at(Base.WEIGHTS, (long) firstBlock * bytes),
                    Argument.at(Base.OTHER, out),
                    scratch,
                    sizes);
        }
    }

    /**
     * Plans one product of all squares of a band, a pointwise convolution. Its last tiles prefetch the weights of the
     * next product, each those of one block of output channels.
     *
     * @param runs the tiles of all products
     * @param inBytes bytes from one block of input channels to the next
     * @param outBytes bytes from one block of output channels to the next
     * @param from the offset of the weights
     * @param next the offset of the weights of the next product
     */
    private void multiply(
            List<Run> runs,
            int blocks,
            long inBytes,
            long outBytes,
            long from,
            long next,
            Argument in,
            Argument out,
            CallPlan.Builder calls) {
        long outBlockBytes = weights.inBlocks() * weights.tapBytes();
        for (Run run : runs) {
            boolean fetches = weights.bytes() >= ConvPlanner.FETCHED_BYTES && run.left() < blocks;
            long widthBytes = (long) run.width() * bytes;
            Argument sizes = calls.sizes(
                    run.count(),
                    weights.inBlocks(),
                    1,
                    widthBytes,
                    widthBytes,
                    0,
                    inBytes,
                    weights.tapBytes(),
                    0,
                    outBlockBytes,
                    outBytes,
                    next - from + (blocks - run.left() - run.count()) * outBlockBytes);
            long offset = (long) run.square() * bytes;
            calls.call(
                    tiles.computeIfAbsent(new Tile(run.width(), blocks, fetches), this::kernel),
                    (long) run.count() * run.width() * blocks * target.lanes() * weights.inBlocks() * target.lanes(),
                    plus(in, offset),
                    Argument.at(Base.WEIGHTS, from),
                    plus(out, offset),
                    Argument.number(0),
                    Argument.number(0),
                    sizes);
        }
    }

    private List<Run> runs(int squares, int blocks) {
        List<Integer> widths = new Tiling(target, ConvInput.BLOCKED, 1, squares).widths(squares, blocks);
        List<Run> runs = new ArrayList<>();
        int square = 0;
        for (int tile = 0; tile < widths.size(); ) {
            int width = widths.get(tile);
            int count = 1;
            while (tile + count < widths.size() && widths.get(tile + count) == width) {
                count++;
            }
            tile += count;
            runs.add(new Run(square, width, count, widths.size() - tile));
            square += count * width;
        }
        return runs;
    }

    private CompiledKernel kernel(Tile tile) {
        return kernels.trusted(new ConvTile.Variant(
                        tile.pixels(),
                        tile.blocks(),
                        ConvInput.BLOCKED,
                        target.lanes(),
                        1,
                        1,
                        1,
                        0,
                        0,
                        1,
                        ConvTile.Start.ZERO,
                        tile.fetches(),
                        null)
                .key());
    }
}
