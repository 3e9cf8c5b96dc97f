package dev.millrace.kernels.conv;

import java.util.BitSet;
import java.util.stream.IntStream;

/** The channels of stored images that a convolution reads, in the order in which the convolution numbers them. */
public final class ChannelOrder {
    private final int imageChannels;
    private final int[] order;

    /**
     * @param count the number of channels of the images
     * @param order the image channel of each channel of the convolution; none occurs twice
     */
    public ChannelOrder(int count, int[] order) {
        this.imageChannels = count;
        this.order = order.clone();
        var seen = new BitSet(count);
        for (int channel : order) {
            if (channel < 0 || channel >= count || seen.get(channel)) {
                throw new IllegalArgumentException("channel " + channel + " of " + count + " is not there, or twice");
            }
            seen.set(channel);
        }
    }

    /** Returns the order of a convolution that reads all channels as they are stored. */
    static ChannelOrder same(int channels) {
        return new ChannelOrder(channels, IntStream.range(0, channels).toArray());
    }

    /** The number of channels of the images. */
    int imageChannels() {
        return imageChannels;
    }

    /** The number of channels of the convolution. */
    public int count() {
        return order.length;
    }

    /** The image channel of a channel of the convolution. */
    public int of(int channel) {
        return order[channel];
    }

    /** Whether the convolution reads all channels of the images, in any order. */
    public boolean hasAll() {
        return order.length == imageChannels;
    }

    /** Returns the order as arithmetic progressions: {@code first+step x count} for each. */
    @Override
    public String toString() {
        var text = new StringBuilder("of ").append(imageChannels);
        for (int first = 0, end; first < order.length; first = end) {
            end = first + 1;
            int step = end < order.length ? order[end] - order[first] : 1;
            while (end < order.length && order[end] - order[end - 1] == step) {
                end++;
            }
            text.append(' ')
                    .append(order[first])
                    .append('+')
                    .append(step)
                    .append('x')
                    .append(end - first);
        }
        return text.toString();
    }
}
