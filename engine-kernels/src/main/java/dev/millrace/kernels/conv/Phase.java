package dev.millrace.kernels.conv;

import dev.millrace.kernels.image.Axis;

/**
 * Every so-many-th output of a transposed convolution along one axis, as a convolution.
 *
 * @param axis the convolution
 * @param firstTap the tap of the transposed one that its last tap is
 * @param tapStep from a tap of it to the one before, among those of the transposed one; 0 if no tap has a part in it
 */
record Phase(Axis axis, int firstTap, int tapStep) {
    /** @param forward the axis of the convolution that is transposed: its outputs are our inputs */
    static Phase of(Axis forward, int phase) {
        int stride = forward.stride();
        int outputs = (forward.in() - phase + stride - 1) / stride;
        int shift = phase + forward.before();
        int first = 0;
        while (first < forward.taps() && Math.floorMod(shift - first * forward.dilation(), stride) != 0) {
            first++;
        }
        if (first == forward.taps()) {
            return new Phase(new Axis(forward.out(), outputs, 1, 1, 1, outputs), 0, 0);
        }
        int common = gcd(forward.dilation(), stride);
        int step = stride / common;
        int taps = (forward.taps() - 1 - first) / step + 1;
        int dilation = forward.dilation() / common;
        int base = (shift - first * forward.dilation()) / stride;
        return new Phase(
                new Axis(forward.out(), outputs, taps, 1, dilation, (taps - 1) * dilation - base), first, step);
    }

    private static int gcd(int a, int b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    /** The tap of the transposed convolution that one of this is, or -1 if it is none. */
    int tap(int tap) {
        return tapStep == 0 ? -1 : firstTap + (axis.taps() - 1 - tap) * tapStep;
    }
}
