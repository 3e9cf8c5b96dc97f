package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.lowp.QuantisedOutput;

/**
 * Tiles of a row of a depthwise convolution of bytes, for blocks of as many channels as a vector has lanes: f(in,
 * weights, out, arguments, counts, channel). Each tile is some pixels; their windows are all there. Sums are floats that
 * stay exact.
 *
 * <p>arguments is a block as in {@link DepthwiseArguments}; counts is how many tiles | how many blocks &lt;&lt; 32; channel
 * is the first one, times 4. Inputs of whole blocks are read, whatever is in them. Weights are floats without their zero points, by block, tap
 * and channel, after their sums by block and channel.
 */
final class DepthwiseTile implements KernelFamily {
    static final int MAX_TAPS = 7;
    static final int MAX_PIXELS = 8;
    static final int MAX_STEP = 1 << 10;
    /** Beside sums and weights: an input, and two for what follows. */
    private static final int OTHER_REGISTERS = 3;

    static final String NAME = "conv.s8.depthwise";

    /**
     * One member of the family.
     *
     * @param pixels of a tile
     * @param taps in a row
     * @param stride from pixel to pixel in the input
     * @param dilation from tap to tap in the input
     * @param signed whether inputs have a sign
     * @param masked whether the block is the last one, which channels do not fill
     * @param output what is written
     * @param bias whether there is a number for each channel
     * @param small whether these numbers are so small that sums which start from them stay exact
     * @param scales whether there is a scale for each channel rather than one for all
     * @param relu whether floats that are negative become 0
     * @param cut whether scaled sums may be no ints, for bytes only
     */
    record Variant(
            int pixels,
            int taps,
            int stride,
            int dilation,
            boolean signed,
            boolean masked,
            QuantisedOutput output,
            boolean bias,
            boolean small,
            boolean scales,
            boolean relu,
            boolean cut) {

        KernelKey key() {
            return KernelKey.of(NAME)
                    .with("pixels", pixels)
                    .with("taps", taps)
                    .with("stride", stride)
                    .with("dilation", dilation)
                    .with("signed", signed ? 1 : 0)
                    .with("masked", masked ? 1 : 0)
                    .with("output", output)
                    .with("bias", bias ? 1 : 0)
                    .with("small", small ? 1 : 0)
                    .with("scales", scales ? 1 : 0)
                    .with("relu", relu ? 1 : 0)
                    .with("cut", cut ? 1 : 0);
        }

        static Variant of(KernelKey key, Target target) {
            key.onlyHas(
                    "pixels",
                    "taps",
                    "stride",
                    "dilation",
                    "signed",
                    "masked",
                    "output",
                    "bias",
                    "small",
                    "scales",
                    "relu",
                    "cut");
            QuantisedOutput output = key.oneOf("output", QuantisedOutput.values());
            int taps = key.number("taps", 1, MAX_TAPS);
            return new Variant(
                    key.number("pixels", 1, maxPixels(target, taps)),
                    taps,
                    key.number("stride", 1, MAX_STEP),
                    key.number("dilation", 1, MAX_STEP),
                    key.number("signed", 0, 1) == 1,
                    key.number("masked", 0, 1) == 1,
                    output,
                    key.number("bias", 0, 1) == 1,
                    key.number("small", 0, key.number("bias", 0, 1)) == 1,
                    key.number("scales", 0, 1) == 1,
                    key.number("relu", 0, 1) == 1,
                    key.number("cut", 0, output.isQuantised() ? 1 : 0) == 1);
        }

        /** Columns of the input that a tile reads, or steps over. */
        int columns() {
            return (pixels - 1) * stride + (taps - 1) * dilation + 1;
        }
    }

    static int maxPixels(Target target, int taps) {
        return Math.min(MAX_PIXELS, target.vectors() - taps - OTHER_REGISTERS);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new DepthwiseTileWriter(key.toString(), target, Variant.of(key, target)).program();
    }
}
