package dev.millrace.kernels.image;

/**
 * One dimension of a sliding window: tap {@code k} of output {@code o} reads input
 * {@code o * stride - before + k * dilation}, if there is such an input.
 *
 * @param in the number of inputs
 * @param out the number of outputs
 * @param taps taps of the window
 * @param before the padding before the first input; negative if the first window begins after it
 */
public record Axis(int in, int out, int taps, int stride, int dilation, int before) {
    /** The limit beyond which distances in bytes might overflow. */
    private static final int MAX = 1 << 24;

    public Axis {
        within("inputs", in, 0);
        within("outputs", out, 0);
        within("taps", taps, 1);
        within("a stride of", stride, 1);
        within("a dilation of", dilation, 1);
        within("padding of", before, -MAX);
        long last = (long) Math.max(0, out - 1) * stride + (long) (taps - 1) * dilation - before;
        if (last > MAX) {
            throw new IllegalArgumentException(
                    "a window that slides up to input " + last + ": " + MAX + " is the last");
        }
    }

    private static void within(String what, int value, int least) {
        if (value < least || value > MAX) {
            throw new IllegalArgumentException(
                    "a window with " + what + " " + value + ": it must be " + least + " to " + MAX);
        }
    }

    /** Returns an axis with as many outputs as windows fit between the paddings. */
    public static Axis of(int in, int taps, int stride, int dilation, int before, int after) {
        long room = (long) in + before + after - ((long) (taps - 1) * dilation + 1);
        int out = room < 0 ? 0 : Math.toIntExact(room / stride + 1);
        return new Axis(in, out, taps, stride, dilation, before);
    }

    /** Returns an axis along which nothing slides: each output reads the input of the same index. */
    public static Axis pointwise(int size) {
        return new Axis(size, size, 1, 1, 1, 0);
    }

    public boolean isPointwise() {
        return taps == 1 && stride == 1 && before == 0 && in == out;
    }

    /** Whether the windows of the outputs from {@code first} to {@code end} read no padding. */
    public boolean isInside(int first, int end) {
        return start(first) >= 0 && start(end - 1) + (taps - 1) * dilation < in;
    }

    /** The index of the input that the first tap of an output reads; it may lie outside of the inputs. */
    public int start(int output) {
        return output * stride - before;
    }

    /** The first tap of an output that reads an input. */
    public int firstTap(int output) {
        int start = start(output);
        return start >= 0 ? 0 : Math.min(taps, (-start + dilation - 1) / dilation);
    }

    /** The end of the taps of an output that read an input; not before the first. */
    public int endTap(int output) {
        int room = in - start(output);
        int end = room <= 0 ? 0 : Math.min(taps, (room - 1) / dilation + 1);
        return Math.max(firstTap(output), end);
    }
}
