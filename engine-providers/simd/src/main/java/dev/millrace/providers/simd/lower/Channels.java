package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.conv.ChannelOrder;
import dev.millrace.providers.simd.program.View;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Channels of images in blocks (NCHWc), in another order or some of them only. Reshape, Transpose, Slice and Split of
 * such images only change the list of channels. The channels are moved once, when the value is asked for in blocks;
 * where it is asked for in the order of its indices, it is converted by way of that order.
 *
 * @param source the images in blocks
 * @param order the source's channel for each channel of the value
 * @param spatial the number of axes behind those of the channels
 * @param plain computes the value in the order of its indices
 */
public record Channels(ValueState source, int[] order, int spatial, Supplier<View> plain) {

    /**
     * Returns the channels of a value that is in blocks, or consists of channels of such a value; null for any other.
     */
    public static @Nullable Channels of(ValueState cell) {
        if (cell.plain != null) {
            return null;
        }
        if (cell.channels != null || cell.blocked == null) {
            return cell.channels;
        }
        int[] same = IntStream.range(0, (int) cell.shape().dim(1)).toArray();
        return new Channels(cell, same, cell.shape().rank() - 2, () -> {
            throw new IllegalStateException("images in blocks are asked for in their own order");
        });
    }

    /**
     * Returns the channels of a value that would have to be moved to lie in blocks in their order; null where it is in
     * memory already, or needs no move.
     */
    static @Nullable Channels unmoved(ValueState cell, int block) {
        Channels channels = cell.blocked == null && cell.isBlockedOnly() ? cell.channels : null;
        return channels == null || channels.firstOfBlocks(block) >= 0 ? null : channels;
    }

    /** The order of the channels among those of the source; null where one occurs twice. */
    public @Nullable ChannelOrder inSource() {
        boolean areDistinct = Arrays.stream(order).distinct().count() == order.length;
        return areDistinct ? new ChannelOrder(Math.toIntExact(source.shape().dim(1)), order) : null;
    }

    /** Returns the same channels of other images, whose source has them in the same places. */
    public Channels in(ValueState other, Supplier<View> otherwise) {
        return new Channels(other, order, spatial, otherwise);
    }

    /** Returns the channels after a Reshape that splits or joins axes of channels; null where it changes other axes. */
    public @Nullable Channels reshaped(Shape from, Shape to, Supplier<View> otherwise) {
        int before = from.rank() - spatial;
        int after = to.rank() - spatial;
        boolean fits = spatial > 0 && after > 1 && from.dim(0) == to.dim(0);
        for (int i = 0; fits && i < spatial; i++) {
            fits = from.dim(before + i) == to.dim(after + i);
        }
        return fits ? new Channels(source, order, spatial, otherwise) : null;
    }

    /** Returns the channels after a Transpose of the axes of channels; null where it moves other axes. */
    public @Nullable Channels transposed(Shape from, int[] axes, Supplier<View> otherwise) {
        int end = from.rank() - spatial;
        for (int i = 0; i < axes.length; i++) {
            if ((i == 0 || i >= end) && axes[i] != i) {
                return null;
            }
        }
        int[] moved = order;
        long[] strides = new long[end];
        long stride = 1;
        for (int i = end - 1; i > 0; i--) {
            strides[i] = stride;
            stride *= from.dim(i);
        }
        moved = new int[order.length];
        for (int i = 0; i < moved.length; i++) {
            int rest = i;
            int at = 0;
            for (int axis = end - 1; axis > 0; axis--) {
                int extent = (int) from.dim(axes[axis]);
                at += (int) (rest % extent * strides[axes[axis]]);
                rest /= extent;
            }
            moved[i] = order[at];
        }
        return new Channels(source, moved, spatial, otherwise);
    }

    /** Returns the channels after a Slice; null where the channels have several axes. */
    public @Nullable Channels sliced(Shape from, Slice slice, Supplier<View> otherwise) {
        if (isSplit(from)) {
            return null;
        }
        int[] some = new int[slice.count()];
        Arrays.setAll(some, i -> order[Math.toIntExact(slice.first() + i * slice.step())]);
        return new Channels(source, some, spatial, otherwise);
    }

    /** A range of {@code count} channels from {@code first} on, with a distance of {@code step}. */
    public record Slice(long first, long step, int count) {}

    /** Whether the channels of a value with this shape have several axes. */
    boolean isSplit(Shape shape) {
        return shape.rank() - spatial != 2;
    }

    /**
     * The first channel where all lie one after the other from the start of a block on (and of several images, where
     * these are all channels); -1 where they do not.
     */
    int firstOfBlocks(int block) {
        Shape shape = source.shape();
        boolean together = order[0] % block == 0 && (shape.dim(0) == 1 || order.length == shape.dim(1));
        for (int i = 0; together && i < order.length; i++) {
            together = order[i] == order[0] + i;
        }
        return together ? order[0] : -1;
    }
}
