package dev.millrace.kernels.conv;

import java.util.BitSet;
import java.util.stream.IntStream;

/** Which channels of the images that lie in memory are those of a convolution, one after the other. */
public final class ChannelOrder {
    private final int given;
    private final int[] order;

    /**
     * @param given channels that the images have
     * @param order which of them each channel of the convolution is, none of them twice
     */
    public ChannelOrder(int given, int[] order) {
        this.given = given;
        this.order = order.clone();
        var seen = new BitSet(given);
        for (int channel : order) {
            if (channel < 0 || channel >= given || seen.get(channel)) {
                throw new IllegalArgumentException("channel " + channel + " of " + given + " is not there, or twice");
            }
            seen.set(channel);
        }
    }

    /** All channels, as they lie. */
    static ChannelOrder same(int channels) {
        return new ChannelOrder(channels, IntStream.range(0, channels).toArray());
    }

    /** How many channels the images have. */
    int given() {
        return given;
    }

    /** How many channels the convolution has. */
    public int count() {
        return order.length;
    }

    /** Where a channel of the convolution lies. */
    public int of(int channel) {
        return order[channel];
    }

    /** Whether all channels of the images are those of the convolution, in some order. */
    public boolean hasAll() {
        return order.length == given;
    }

    /** Progressions: the first channel of each, how far its channels lie apart, and how many they are. */
    @Override
    public String toString() {
        var text = new StringBuilder("of ").append(given);
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
