package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.ImageEpilogues;
import org.jspecify.annotations.Nullable;

/**
 * The micro-kernel of direct convolutions, f(in, weights, out, bias, residual, sizes): computes tiles one after the
 * other. Each tile is some pixels of a row times some blocks of output channels, summed over a rectangle of taps and
 * some blocks of input channels.
 *
 * <p>{@code in} is the address of the first tap of the first pixel of the first tile, whether it lies inside of the
 * image or not. {@code sizes} points to twelve longs, all but the first three in bytes: the number of tiles, of blocks
 * of input channels, of rows of taps; the step from tile to tile in the input and in the output; from row to row of
 * taps in the input, and the rest to the next block of channels; the same two for the weights; from block to block of
 * output channels in the weights and in the output; the distance from the weights that the first tile reads to those
 * that it prefetches, if it does.
 *
 * <p>{@link ConvInput#LISTED} has runs of neighbouring channels in place of blocks of input channels, and two more
 * longs for each run: the distance in bytes of its first channel from the end of the run before, and its number of
 * channels.
 */
final class ConvTile implements KernelFamily {
    static final String NAME = "conv.f32";
    static final int MAX_TAPS = 8;
    static final int MAX_BLOCKS = 3;
    static final int MAX_STEP = 1 << 16;
    /** The number of sizes before the list. */
    static final int SIZES = 12;

    /**
     * The initial value of the sums. The bias is added last: sums that begin with a large one lose the last bits of all
     * others.
     */
    enum Start {
        ZERO,
        /** The sums that an earlier pass left in the output. */
        OUTPUT
    }

    /**
     * The parameters of one member of the family.
     *
     * @param pixels pixels of a tile
     * @param blocks blocks of output channels in a tile
     * @param depth the number of channels of a block that are read, 1 where a list names them
     * @param taps taps in a row
     * @param stride pixels of the input from one output pixel to the next
     * @param dilation pixels of the input from tap to tap
     * @param left the number of leading input columns of a tile that lie outside of the image
     * @param right the number of trailing input columns of a tile that lie outside of the image
     * @param pitch pixels of the output image from one computed pixel to the next
     * @param fetches whether each step prefetches weights for later: each tile those of one more block of output
     *     channels
     * @param after the epilogue of the last pass: input 0 is the sum with its bias, input 1 the residual; null while
     *     further passes follow
     */
    record Variant(
            int pixels,
            int blocks,
            ConvInput input,
            int depth,
            int taps,
            int stride,
            int dilation,
            int left,
            int right,
            int pitch,
            Start start,
            boolean fetches,
            @Nullable Expr after) {

        public KernelKey key() {
            return KernelKey.of(NAME)
                    .with("pixels", pixels)
                    .with("blocks", blocks)
                    .with("input", input)
                    .with("depth", depth)
                    .with("taps", taps)
                    .with("stride", stride)
                    .with("dilation", dilation)
                    .with("left", left)
                    .with("right", right)
                    .with("pitch", pitch)
                    .with("start", start)
                    .with("fetches", fetches ? 1 : 0)
                    .with("after", ImageEpilogues.print(after));
        }

        static Variant of(KernelKey key, Target target) {
            key.onlyHas(
                    "pixels",
                    "blocks",
                    "input",
                    "depth",
                    "taps",
                    "stride",
                    "dilation",
                    "left",
                    "right",
                    "pitch",
                    "start",
                    "fetches",
                    "after");
            int blocks = key.number("blocks", 1, MAX_BLOCKS);
            ConvInput input = key.oneOf("input", ConvInput.values());
            int taps = key.number("taps", 1, input == ConvInput.LISTED ? 1 : MAX_TAPS);
            int pixels = key.number("pixels", 1, input.maxPixels(target, blocks, taps));
            int stride = key.number("stride", 1, MAX_STEP);
            int dilation = key.number("dilation", 1, MAX_STEP);
            int columns = (pixels - 1) * stride + (taps - 1) * dilation + 1;
            return new Variant(
                    pixels,
                    blocks,
                    input,
                    key.number("depth", 1, input.maxDepth(target.lanes())),
                    taps,
                    stride,
                    dilation,
                    key.number("left", 0, columns),
                    key.number("right", 0, columns),
                    key.number("pitch", 1, MAX_STEP),
                    key.oneOf("start", Start.values()),
                    key.number("fetches", 0, 1) == 1,
                    ImageEpilogues.read(key, "after"));
        }

        /** Whether a tap of a pixel reads an input inside of the image. */
        boolean reads(int pixel, int tap) {
            int column = pixel * stride + tap * dilation;
            return column >= left && column < (pixels - 1) * stride + (taps - 1) * dilation + 1 - right;
        }
    }

    /**
     * Returns the sizes of tiles side by side that read the same list.
     *
     * @param tileBytes bytes from tile to tile
     * @param runs two numbers for each run
     */
    static long[] sizesOfList(int tiles, long tileBytes, long weightOutBlock, long outBlock, long[] runs) {
        long[] sizes = new long[SIZES + runs.length];
        ConvTileWriter.Size.TILES.put(sizes, tiles);
        ConvTileWriter.Size.BLOCKS.put(sizes, runs.length / 2);
        ConvTileWriter.Size.IN_TILE.put(sizes, tileBytes);
        ConvTileWriter.Size.OUT_TILE.put(sizes, tileBytes);
        ConvTileWriter.Size.WEIGHT_OUT_BLOCK.put(sizes, weightOutBlock);
        ConvTileWriter.Size.OUT_BLOCK.put(sizes, outBlock);
        System.arraycopy(runs, 0, sizes, SIZES, runs.length);
        return sizes;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new ConvTileWriter(key.toString(), target, Variant.of(key, target)).program();
    }
}
