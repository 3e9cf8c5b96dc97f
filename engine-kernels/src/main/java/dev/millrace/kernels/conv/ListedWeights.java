package dev.millrace.kernels.conv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * How the weights of a convolution without windows lie when packed for the channels that each block of output channels
 * sees, and for no others: first a bias for each output channel, then block by block of output channels, channel by
 * channel as the images have them, the weights of the block's output channels.
 */
final class ListedWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final ConvShape shape;
    private final ChannelOrder order;
    private final int lanes;
    /** What each block of output channels sees of the images, in their order. */
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
        int last = group(Math.min((block + 1) * lanes, shape.outChannels()) - 1);
        var channels = new BitSet(order.given());
        for (int channel = first * shape.groupChannels(); channel < (last + 1) * shape.groupChannels(); channel++) {
            channels.set(order.of(channel));
        }
        int[] sorted = channels.stream().toArray();
        return block > 0 && Arrays.equals(sorted, seen[block - 1]) ? seen[block - 1] : sorted;
    }

    private int group(int outChannel) {
        return outChannel / shape.groupOutChannels();
    }

    /** Of a channel, for one block of output channels. */
    long channelBytes() {
        return (long) lanes * Float.BYTES;
    }

    int outBlocks() {
        return seen.length;
    }

    /** The channels of the images that a block of output channels sees. */
    int[] channels(int outBlock) {
        return seen[outBlock];
    }

    /** How many blocks of output channels see the same, from one on. */
    int alike(int outBlock) {
        int end = outBlock + 1;
        while (end < seen.length && seen[end] == seen[outBlock]) {
            end++;
        }
        return end - outBlock;
    }

    /** Where the weights of a block of output channels begin. */
    long start(int outBlock) {
        return starts[outBlock];
    }

    /** Where the bias of a block of output channels begins. */
    long bias(int outBlock) {
        return outBlock * channelBytes();
    }

    long end() {
        return starts[seen.length];
    }

    void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed) {
        packed.asSlice(0, end()).fill((byte) 0);
        if (bias != null) {
            MemorySegment.copy(bias, 0, packed, 0, (long) Float.BYTES * shape.outChannels());
        }
        int channels = shape.groupChannels();
        for (int outChannel = 0; outChannel < shape.outChannels(); outChannel++) {
            int block = outChannel / lanes;
            long lane = starts[block] + (long) Float.BYTES * (outChannel % lanes);
            for (int channel = 0; channel < channels; channel++) {
                int place = Arrays.binarySearch(seen[block], order.of(group(outChannel) * channels + channel));
                float weight = weights.getAtIndex(FLOAT, (long) outChannel * channels + channel);
                packed.set(FLOAT, lane + place * channelBytes(), weight);
            }
        }
    }
}
