package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.image.Axis;
import java.util.List;

/**
 * A transposed convolution as a convolution with an output channel for each remainder of the strides (sub-pixel
 * convolution).
 *
 * @param forward the convolution that is transposed
 */
record Phases(ConvShape forward) {
    static boolean fits(ConvShape forward, long mostChannels) {
        long remainders = (long) forward.depth().stride()
                * forward.height().stride()
                * forward.width().stride();
        return remainders > 1
                && forward.channels() * remainders <= mostChannels
                && isTouching(forward.depth())
                && isTouching(forward.height())
                && isTouching(forward.width());
    }

    private static boolean isTouching(Axis axis) {
        return axis.taps() == 1 || axis.dilation() == 1;
    }

    /**
     * One axis. Output {@code o} has the remainder {@code (o + before) % stride} and the position
     * {@code (o + before) / stride}.
     *
     * @param forward the axis of the convolution that is transposed
     */
    record Line(Axis forward) {
        int stride() {
            return forward.stride();
        }

        /** The number of taps of the first remainder, which has the most. */
        int taps() {
            return Math.ceilDiv(forward.taps(), stride());
        }

        /** The remainder of the first output. */
        int first() {
            return Math.floorMod(forward.before(), stride());
        }

        /** Returns the tap of the transposed convolution that a tap of a remainder is, or -1 if it is none. */
        int tap(int remainder, int tap) {
            int found = remainder + (taps() - 1 - tap) * stride();
            return found < forward.taps() ? found : -1;
        }

        Axis conv() {
            int start = Math.floorDiv(forward.before(), stride());
            int places = Math.floorDiv(forward.in() - 1 + forward.before(), stride()) - start + 1;
            return new Axis(forward.out(), places, taps(), 1, 1, taps() - 1 - start);
        }
    }

    /** Depth, height and width. */
    List<Line> lines() {
        return List.of(new Line(forward.depth()), new Line(forward.height()), new Line(forward.width()));
    }

    /** The number of channels that each channel becomes. */
    int remainders() {
        return forward.depth().stride()
                * forward.height().stride()
                * forward.width().stride();
    }

    ConvShape conv() {
        return new ConvShape(
                forward.batch(),
                forward.outChannels(),
                forward.channels() * remainders(),
                forward.groups(),
                new Line(forward.depth()).conv(),
                new Line(forward.height()).conv(),
                new Line(forward.width()).conv());
    }

    /**
     * Returns for each tap of the convolution the tap of the transposed one for a remainder; -1 where there is none.
     */
    int[] taps(int remainder) {
        Line depth = new Line(forward.depth());
        Line height = new Line(forward.height());
        Line width = new Line(forward.width());
        int[] taps = new int[depth.taps() * height.taps() * width.taps()];
        for (int i = 0; i < taps.length; i++) {
            int z = depth.tap(remainder / (height.stride() * width.stride()), i / (height.taps() * width.taps()));
            int y = height.tap(remainder / width.stride() % height.stride(), i / width.taps() % height.taps());
            int x = width.tap(remainder % width.stride(), i % width.taps());
            boolean isNone = z < 0 || y < 0 || x < 0;
            taps[i] = isNone
                    ? -1
                    : (z * height.forward().taps() + y) * width.forward().taps() + x;
        }
        return taps;
    }

    /** Describes the packing of weights: everything that their order depends on. */
    @Override
    public String toString() {
        return "remainders of " + line(forward.depth()) + ", " + line(forward.height()) + ", " + line(forward.width());
    }

    private static String line(Axis axis) {
        return axis.taps() + " by " + axis.stride();
    }
}
