package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A window sliding over the spatial axes of an image: for each axis the extents of image, output and kernel, and the
 * movement of the window.
 */
public record Window(
        int[] in, int[] out, int[] kernel, int[] strides, int[] dilations, int[] padsBefore, int[] padsAfter) {

    /**
     * Returns the window of a node.
     *
     * @param input the full shape of the image, batch and channels first
     * @param output the full shape of the result
     */
    public static Window of(Attributes attributes, long[] kernel, Shape input, Shape output) {
        int axes = input.rank() - 2;
        if (axes < 1 || kernel.length != axes) {
            throw EngineException.invalidArgument(
                    "a window of " + kernel.length + " axes does not fit an input of shape " + input);
        }
        int[] in = spatial(input);
        int[] out = spatial(output);
        int[] strides = ints(attributes.integers("strides"), axes, 1);
        int[] dilations = ints(attributes.integers("dilations"), axes, 1);
        int[] sizes = ints(kernel, axes, 1);
        int[] before = new int[axes];
        int[] after = new int[axes];
        long[] pads = attributes.integers("pads");
        String auto = attributes.text("auto_pad", "NOTSET");
        for (int i = 0; i < axes; i++) {
            if (auto.startsWith("SAME")) {
                long span = (sizes[i] - 1L) * dilations[i] + 1;
                long reach = (Math.ceilDiv(in[i], strides[i]) - 1L) * strides[i] + span;
                int total = ArrayExtents.toInt("pads", Math.max(0, reach - in[i]));
                before[i] = auto.equals("SAME_LOWER") ? total - total / 2 : total / 2;
                after[i] = total - before[i];
            } else if (pads != null && !auto.equals("VALID")) {
                before[i] = ArrayExtents.toInt("pads", pads[i]);
                after[i] = ArrayExtents.toInt("pads", pads[i + axes]);
            }
        }
        for (int i = 0; i < axes; i++) {
            ArrayExtents.toInt(
                    "places that a window reaches along an axis",
                    (long) Math.max(0, out[i] - 1) * strides[i]
                            + (sizes[i] - 1L) * dilations[i]
                            + before[i]
                            + after[i]);
        }
        return new Window(in, out, sizes, strides, dilations, before, after);
    }

    static int[] spatial(Shape shape) {
        int[] extents = new int[shape.rank() - 2];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = ArrayExtents.toInt("places along a spatial axis", shape.dim(i + 2));
        }
        return extents;
    }

    static int[] ints(long @Nullable [] values, int axes, int otherwise) {
        int[] ints = new int[axes];
        Arrays.fill(ints, otherwise);
        for (int i = 0; i < axes && values != null; i++) {
            ints[i] = ArrayExtents.toInt("steps of a window", values[i]);
        }
        return ints;
    }

    public int axes() {
        return in.length;
    }

    public int inSize() {
        return product(in);
    }

    public int outSize() {
        return product(out);
    }

    public int kernelSize() {
        return product(kernel);
    }

    static int product(int[] extents) {
        int product = 1;
        for (int extent : extents) {
            product = ArrayExtents.product("places of a window or an image", product, extent);
        }
        return product;
    }

    /** Whether every output depends on the one input at its own position. */
    public boolean isPointwise() {
        return kernelSize() == 1
                && Arrays.equals(in, out)
                && product(strides) == 1
                && Arrays.stream(padsBefore).allMatch(pad -> pad == 0);
    }

    /** Whether a tap of some window lies in the padding. */
    boolean reachesIntoPadding() {
        for (int i = 0; i < in.length; i++) {
            long last = (out[i] - 1L) * strides[i] + (kernel[i] - 1L) * dilations[i] - padsBefore[i];
            if (padsBefore[i] > 0 || last >= in[i]) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the position in the image of tap {@code tap} of the window at output {@code position}, or -1 where it is
     * in the padding. All are row-major.
     */
    public int place(int position, int tap) {
        int restPosition = position;
        int restTap = tap;
        int place = 0;
        int step = 1;
        for (int i = in.length - 1; i >= 0; i--) {
            int at = restPosition % out[i] * strides[i] - padsBefore[i] + restTap % kernel[i] * dilations[i];
            if (at < 0 || at >= in[i]) {
                return -1;
            }
            place += at * step;
            step *= in[i];
            restPosition /= out[i];
            restTap /= kernel[i];
        }
        return place;
    }

    /** The number of outputs in a row along the last axis. */
    int outWidth() {
        return out[out.length - 1];
    }

    /**
     * The positions in the image of one tap of windows that follow each other along the last axis.
     *
     * @param first the first window whose tap is in the image; all up to {@code end} are
     * @param start the position for the first window, also where that is outside
     * @param step the distance from one window to the next
     */
    record Span(int first, int end, int start, int step) {
        long place(int window) {
            return start + (long) window * step;
        }

        /** The number of windows from one on whose positions are contiguous. */
        int together(int window) {
            return step == 1 ? end - window : 1;
        }
    }

    /** Returns the span of {@code count} windows from output {@code position} on, all in one row. */
    Span span(int position, int tap, int count) {
        int last = in.length - 1;
        int row = row(position / out[last], tap / kernel[last]);
        if (row < 0) {
            return new Span(0, 0, 0, 1);
        }
        int step = strides[last];
        int at = position % out[last] * step - padsBefore[last] + tap % kernel[last] * dilations[last];
        int first = at < 0 ? Math.ceilDiv(-at, step) : 0;
        int end = at < in[last] ? Math.min(count, Math.ceilDiv(in[last] - at, step)) : 0;
        return new Span(first, end, row * in[last] + at, step);
    }

    /** The number of taps of the window at output {@code position} that are in the image. */
    public int tapsInImage(int position) {
        int rest = position;
        int count = 1;
        for (int i = in.length - 1; i >= 0; i--) {
            int start = rest % out[i] * strides[i] - padsBefore[i];
            int first = Math.max(0, Math.ceilDiv(-start, dilations[i]));
            int end = Math.min(kernel[i], Math.ceilDiv(in[i] - start, dilations[i]));
            count *= Math.max(0, end - first);
            rest /= out[i];
        }
        return count;
    }

    /** The number of taps of the window at output {@code position} that are in the image or its padding. */
    public int tapsInPaddedImage(int position) {
        int rest = position;
        int count = 1;
        for (int i = in.length - 1; i >= 0; i--) {
            int start = rest % out[i] * strides[i];
            int room = in[i] + padsBefore[i] + padsAfter[i] - start;
            count *= Math.min(kernel[i], Math.ceilDiv(room, dilations[i]));
            rest /= out[i];
        }
        return count;
    }

    /**
     * Returns the row of the image that a window at row {@code outRow} of the output reads by its taps on all but the
     * last axis, or -1 for one in the padding. Rows run along the last axis.
     */
    int row(int outRow, int outerTap) {
        int row = 0;
        int step = 1;
        int restRow = outRow;
        int restTap = outerTap;
        for (int i = in.length - 2; i >= 0; i--) {
            int at = restRow % out[i] * strides[i] - padsBefore[i] + restTap % kernel[i] * dilations[i];
            if (at < 0 || at >= in[i]) {
                return -1;
            }
            row += at * step;
            step *= in[i];
            restRow /= out[i];
            restTap /= kernel[i];
        }
        return row;
    }
}
