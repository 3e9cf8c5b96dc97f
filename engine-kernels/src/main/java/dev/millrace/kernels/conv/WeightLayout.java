package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.StridedCopy;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The packed layout of the weights of a convolution: first a bias for each output channel, then block by block of
 * output channels, block by block of the input channels that those read, tap by tap, input channel by input channel,
 * the weights of the block's output channels. Lanes behind the last channel are zero.
 */
final class WeightLayout {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ConvShape shape;
    private final int lanes;
    /** The number of channels in a block of input. */
    private final int inBlock;

    private final long at;
    private final long[] starts;

    /** @param at the offset of these weights in the packed memory */
    WeightLayout(ConvShape shape, int lanes, ConvInput input, long at) {
        this.at = at;
        this.shape = shape;
        this.lanes = lanes;
        inBlock = input.channels(lanes);
        starts = new long[outBlocks() + 1];
        starts[0] = at + (long) outBlocks() * lanes * Float.BYTES;
        for (int block = 0; block < outBlocks(); block++) {
            long channelBlocks = endInBlock(block) - firstInBlock(block);
            starts[block + 1] = Math.addExact(starts[block], Math.multiplyExact(channelBlocks, inBlockBytes()));
        }
    }

    /** The order of the unpacked weights in one kind of convolution. */
    interface Source {
        /**
         * Returns the index of the first weight of a pair of channels.
         *
         * @param channel the input channel in the group of the output channel
         */
        int index(int outChannel, int channel);
    }

    int outBlocks() {
        return (shape.outChannels() + lanes - 1) / lanes;
    }

    /** Bytes of the weights of one tap, for one block of input and one of output channels. */
    long tapBytes() {
        return (long) inBlock * lanes * Float.BYTES;
    }

    long inBlockBytes() {
        return Math.multiplyExact(tapBytes(), shape.taps());
    }

    /** The offset of the weights of a block of output channels. */
    long start(int outBlock) {
        return starts[outBlock];
    }

    /** The offset of the bias of a block of output channels. */
    long bias(int outBlock) {
        return at + (long) outBlock * lanes * Float.BYTES;
    }

    long end() {
        return starts[outBlocks()];
    }

    private int group(int outChannel) {
        return Math.min(outChannel, shape.outChannels() - 1) / shape.groupOutChannels();
    }

    private int firstChannel(int outBlock) {
        return group(outBlock * lanes) * shape.groupChannels();
    }

    private int endChannel(int outBlock) {
        return (group(outBlock * lanes + lanes - 1) + 1) * shape.groupChannels();
    }

    /** The first block of input channels that a block of output channels reads. */
    int firstInBlock(int outBlock) {
        return firstChannel(outBlock) / inBlock;
    }

    int endInBlock(int outBlock) {
        return (endChannel(outBlock) + inBlock - 1) / inBlock;
    }

    /** The number of channels in the last block of input, or 0 if it is full. */
    int lastDepth() {
        return shape.channels() % inBlock;
    }

    int inBlocks() {
        return (shape.channels() + inBlock - 1) / inBlock;
    }

    /**
     * Packs weights from an array, because this runs before anything is compiled.
     *
     * @param taps the index of each tap among the weights of a pair of channels; a negative one stands for zeros
     */
    void pack(float[] weights, Source source, int[] taps, @Nullable MemorySegment bias, MemorySegment packed) {
        begin(bias, packed, starts[0]);
        for (int outBlock = 0; outBlock < outBlocks(); outBlock++) {
            float[] block = block(outBlock, weights, source, taps);
            MemorySegment.copy(block, 0, packed, FLOAT, starts[outBlock], block.length);
        }
    }

    private float[] block(int outBlock, float[] weights, Source source, int[] taps) {
        var block = new float[Math.toIntExact((starts[outBlock + 1] - starts[outBlock]) / Float.BYTES)];
        int ofTap = inBlock * lanes;
        int end = Math.min((outBlock + 1) * lanes, shape.outChannels());
        for (int outChannel = outBlock * lanes; outChannel < end; outChannel++) {
            int first = group(outChannel) * shape.groupChannels() - firstInBlock(outBlock) * inBlock;
            for (int channel = 0; channel < shape.groupChannels(); channel++) {
                int seen = first + channel;
                int to = seen / inBlock * taps.length * ofTap + seen % inBlock * lanes + outChannel % lanes;
                int from = source.index(outChannel, channel);
                for (int tap : taps) {
                    if (tap >= 0) {
                        block[to] = weights[from + tap];
                    }
                    to += ofTap;
                }
            }
        }
        return block;
    }

    /** Clears the memory up to {@code end}, and packs the bias. */
    private void begin(@Nullable MemorySegment bias, MemorySegment packed, long end) {
        packed.asSlice(at, end - at).fill((byte) 0);
        if (bias != null) {
            MemorySegment.copy(bias, 0, packed, at, 4L * shape.outChannels());
        }
    }

    /**
     * Packs the weights of a convolution without groups, in their own order. Kernels do it, because there may be many
     * weights.
     */
    void packAll(KernelSet kernels, MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        begin(bias, packed, end());
        int outRest = shape.outChannels() % lanes;
        int inRest = shape.channels() % inBlock;
        int outBlocks = shape.outChannels() / lanes;
        int inBlocks = shape.channels() / inBlock;
        box(kernels, weights, packed, new Box(0, outBlocks, lanes, 0, inBlocks, inBlock));
        box(kernels, weights, packed, new Box(0, outBlocks, lanes, inBlocks, 1, inRest));
        box(kernels, weights, packed, new Box(outBlocks, 1, outRest, 0, inBlocks, inBlock));
        box(kernels, weights, packed, new Box(outBlocks, 1, outRest, inBlocks, 1, inRest));
    }

    /** A range of blocks of output and of input channels, with the number of channels that each block has. */
    private record Box(int firstOut, int outBlocks, int outChannels, int firstIn, int inBlocks, int inChannels) {}

    private void box(KernelSet kernels, MemorySegment weights, MemorySegment packed, Box box) {
        long taps = shape.taps();
        long ofOutput = shape.channels() * taps;
        long[] counts = {box.outBlocks(), box.inBlocks(), taps, box.inChannels(), box.outChannels()};
        if (Arrays.stream(counts).anyMatch(count -> count == 0)) {
            return;
        }
        long ofBlock = inBlockBytes() / Float.BYTES;
        long ofTap = tapBytes() / Float.BYTES;
        long[] to = {inBlocks() * ofBlock, ofBlock, ofTap, lanes, 1};
        long[] from = {lanes * ofOutput, inBlock * taps, 1, taps, ofOutput};
        long toStart = starts[box.firstOut()] / Float.BYTES + box.firstIn() * ofBlock;
        long fromStart = box.firstOut() * from[0] + box.firstIn() * from[1];
        new Copier(kernels, StridedCopy.of(Float.BYTES, counts, toStart, to, fromStart, from))
                .run(weights, packed, Parallel.NONE);
    }
}
