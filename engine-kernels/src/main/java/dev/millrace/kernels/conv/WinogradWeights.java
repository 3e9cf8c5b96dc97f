package dev.millrace.kernels.conv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How transformed weights lie: a bias for each output channel, then product by product, block by block of output
 * channels, input channel by input channel.
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

    long start(int product, int outBlock) {
        long first = 4L * outBlocks() * lanes;
        return Math.addExact(
                first,
                Math.multiplyExact(
                        (long) product * outBlocks() + outBlock, Math.multiplyExact(inBlocks(), tapBytes())));
    }

    long bytes() {
        return start(kind.products(), 0);
    }

    void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        packed.asSlice(0, start(0, 0)).fill((byte) 0);
        if (bias != null) {
            MemorySegment.copy(bias, 0, packed, 0, 4L * shape.outChannels());
        }
        int channels = shape.channels();
        int products = kind.products();
        float[] squares = new float[channels * WinogradKind.TAPS * WinogradKind.TAPS];
        float[][] blocks = new float[products][channels * lanes];
        var taps = new WinogradTaps(kind, channels);
        for (int block = 0; block < outBlocks(); block++) {
            for (int lane = 0; lane < lanes; lane++) {
                int outChannel = block * lanes + lane;
                if (outChannel < shape.outChannels()) {
                    MemorySegment.copy(weights, FLOAT, 4L * outChannel * squares.length, squares, 0, squares.length);
                } else {
                    Arrays.fill(squares, 0);
                }
                double[][] transformed = taps.transform(squares);
                for (int product = 0; product < products; product++) {
                    spread(transformed[product], blocks[product], lane);
                }
            }
            for (int product = 0; product < products; product++) {
                float[] values = blocks[product];
                MemorySegment.copy(values, 0, packed, FLOAT, start(product, block), values.length);
            }
        }
    }

    private void spread(double[] channels, float[] block, int lane) {
        for (int i = 0; i < channels.length; i++) {
            block[i * lanes + lane] = (float) channels[i];
        }
    }
}
