package dev.millrace.kernels.conv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * How transformed weights lie: a bias for each output channel, zeros for a group of blocks, then product by product,
 * block by block of output channels, input channel by input channel.
 */
final class WinogradWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ConvShape shape;
    private final WinogradKind kind;
    private final int lanes;

    WinogradWeights(ConvShape shape, WinogradKind kind, int lanes) {
        this.shape = shape;
        this.kind = kind;
        this.lanes = lanes;
    }

    int inBlocks() {
        return shape.channels() / lanes;
    }

    int outBlocks() {
        return (shape.outChannels() + lanes - 1) / lanes;
    }

    long tapBytes() {
        return 4L * lanes * lanes;
    }

    long zeros() {
        return 4L * outBlocks() * lanes;
    }

    long start(int product, int outBlock) {
        long first = zeros() + 4L * ConvTile.MAX_BLOCKS * lanes;
        return Math.addExact(
                first,
                Math.multiplyExact(
                        (long) product * outBlocks() + outBlock, Math.multiplyExact(inBlocks(), tapBytes())));
    }

    long bytes() {
        return start(kind.products(), 0);
    }

    void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        packed.asSlice(0, bytes()).fill((byte) 0);
        int taps = WinogradKind.TAPS * WinogradKind.TAPS;
        double[] square = new double[taps];
        for (int outChannel = 0; outChannel < shape.outChannels(); outChannel++) {
            if (bias != null) {
                packed.set(FLOAT, 4L * outChannel, bias.getAtIndex(FLOAT, outChannel));
            }
            for (int channel = 0; channel < shape.channels(); channel++) {
                for (int tap = 0; tap < taps; tap++) {
                    square[tap] =
                            weights.getAtIndex(FLOAT, ((long) outChannel * shape.channels() + channel) * taps + tap);
                }
                double[] transformed = kind.transformWeights(square);
                long within = 4L * ((long) channel * lanes + outChannel % lanes);
                for (int product = 0; product < transformed.length; product++) {
                    packed.set(FLOAT, start(product, outChannel / lanes) + within, (float) transformed[product]);
                }
            }
        }
    }
}
