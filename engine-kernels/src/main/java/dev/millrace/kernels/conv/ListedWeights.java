package dev.millrace.kernels.conv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The packed layout of the weights of a pointwise convolution that holds, for each block of output channels, only the
 * input channels that it reads: first a bias for each output channel, then block by block of output channels, channel
 * by channel in the order of the images, the weights of the block's output channels.
 */
final class ListedWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ConvShape shape;
    private final ChannelOrder order;
    private final int lanes;
    /** The image channels that each block of output channels reads, in the order of the images. */
    private final int[][] seen;

    private final long[] starts;

    ListedWeights(ConvShape shape, ChannelOrder order, int lanes) {
        this.shape = shape;
        this.order = order;
        this.lanes = lanes;
        int blocks = Math.ceilDiv(shape.outChannels(), lanes);
        seen = new int[blocks][];
        starts = new long[blocks + 1];
        starts[0] = bias(blocks);
        for (int block = 0; block < blocks; block++) {
            seen[block] = seenBy(block);
            starts[block + 1] = Math.addExact(starts[block], seen[block].length * channelBytes());
        }
    }

    private int[] seenBy(int block) {
        int first = group(block * lanes);
        int last = lastGroup(block);
        if (block > 0 && first == group((block - 1) * lanes) && last == lastGroup(block - 1)) {
            return seen[block - 1];
        }
        var channels = new boolean[order.imageChannels()];
        for (int channel = first * shape.groupChannels(); channel < (last + 1) * shape.groupChannels(); channel++) {
            channels[order.of(channel)] = true;
        }
        var sorted = new int[(last + 1 - first) * shape.groupChannels()];
        int found = 0;
        for (int channel = 0; channel < channels.length; channel++) {
            if (channels[channel]) {
                sorted[found++] = channel;
            }
        }
        return sorted;
    }

    private int lastGroup(int block) {
        return group(Math.min((block + 1) * lanes, shape.outChannels()) - 1);
    }

    private int group(int outChannel) {
        return outChannel / shape.groupOutChannels();
    }

    /** Bytes of the weights of one input channel for one block of output channels. */
    long channelBytes() {
        return (long) lanes * Float.BYTES;
    }

    int outBlocks() {
        return seen.length;
    }

    /** The image channels that a block of output channels reads. */
    int[] channels(int outBlock) {
        return seen[outBlock];
    }

    /**
     * The number of consecutive blocks of output channels that read the same channels as {@code outBlock}, itself
     * included.
     */
    int alike(int outBlock) {
        int end = outBlock + 1;
        while (end < seen.length && seen[end] == seen[outBlock]) {
            end++;
        }
        return end - outBlock;
    }

    /** The offset of the weights of a block of output channels. */
    long start(int outBlock) {
        return starts[outBlock];
    }

    /** The offset of the bias of a block of output channels. */
    long bias(int outBlock) {
        return outBlock * channelBytes();
    }

    long end() {
        return starts[seen.length];
    }

    void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        packed.asSlice(0, starts[0]).fill((byte) 0);
        if (bias != null) {
            MemorySegment.copy(bias, 0, packed, 0, (long) Float.BYTES * shape.outChannels());
        }
        for (int block = 0; block < seen.length; block++) {
            float[] panel = panel(block, weights);
            MemorySegment.copy(panel, 0, packed, FLOAT, starts[block], panel.length);
        }
    }

    /**
     * Returns the weights of a block of output channels, packed in an array, because this runs before anything is
     * compiled.
     */
    private float[] panel(int block, MemorySegment weights) {
        int channels = shape.groupChannels();
        var panel = new float[seen[block].length * lanes];
        var row = new float[channels];
        int[] places = {};
        int end = Math.min((block + 1) * lanes, shape.outChannels());
        for (int outChannel = block * lanes; outChannel < end; outChannel++) {
            if (outChannel % lanes == 0 || outChannel % shape.groupOutChannels() == 0) {
                places = places(block, group(outChannel));
            }
            MemorySegment.copy(weights, FLOAT, (long) Float.BYTES * outChannel * channels, row, 0, channels);
            for (int channel = 0; channel < channels; channel++) {
                panel[places[channel] * lanes + outChannel % lanes] = row[channel];
            }
        }
        return panel;
    }

    /** Returns the position of each channel of a group among those that a block reads. */
    private int[] places(int block, int group) {
        var places = new int[shape.groupChannels()];
        for (int channel = 0; channel < places.length; channel++) {
            places[channel] = Arrays.binarySearch(seen[block], order.of(group * places.length + channel));
        }
        return places;
    }
}
