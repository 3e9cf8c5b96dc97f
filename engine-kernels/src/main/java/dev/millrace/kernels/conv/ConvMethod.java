package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Target;

/** How a convolution is done. */
public enum ConvMethod {
    /** As the sums that it is. */
    DIRECT,
    /** By {@link WinogradKind#SQUARES_OF_2}; errors are some times those of sums. */
    WINOGRAD_2,
    /** By {@link WinogradKind#SQUARES_OF_4}; errors are some ten times those of sums. */
    WINOGRAD_4;

    /** Bytes of weights that are read in the time of one multiplication and addition of all lanes, far from the core. */
    private static final double BYTES_PER_STEP = 2.5;
    /** Of weights, what stays near the core from one run to the next. */
    private static final long NEAR_BYTES = 1 << 20;
    /** Steps for one product of a square, beside its multiplications, for each block of channels. */
    private static final double STEPS_PER_TRANSFORM = 6;

    /** Whether a shape can be done so. */
    public boolean fits(ConvShape shape, Target target) {
        return this == DIRECT || Winograd.fits(shape, target.lanes());
    }

    /**
     * What takes the least time, by a rough count.
     *
     * @param strict whether sums must be as exact as fp32 allows
     */
    public static ConvMethod best(ConvShape shape, boolean plain, boolean strict, Target target) {
        if (strict || plain || !WINOGRAD_2.fits(shape, target)) {
            return DIRECT;
        }
        double direct = direct(shape, target.lanes());
        double two = winograd(shape, WinogradKind.SQUARES_OF_2, target.lanes());
        double four = winograd(shape, WinogradKind.SQUARES_OF_4, target.lanes());
        if (direct <= Math.min(two, four)) {
            return DIRECT;
        }
        return two <= four ? WINOGRAD_2 : WINOGRAD_4;
    }

    private static double direct(ConvShape shape, int lanes) {
        double weights = (double) shape.channels() * shape.outChannels() * shape.taps();
        double steps = weights * shape.outPixels() / lanes;
        return steps + reading(weights);
    }

    private static double winograd(ConvShape shape, WinogradKind kind, int lanes) {
        double squares = (double) Math.ceilDiv(shape.height().out(), kind.outputs())
                * Math.ceilDiv(shape.width().out(), kind.outputs());
        double weights = (double) shape.channels() * shape.outChannels() * kind.products();
        double transforms =
                STEPS_PER_TRANSFORM * squares * kind.products() * (shape.channels() + shape.outChannels()) / lanes;
        return weights * squares / lanes + transforms + reading(weights);
    }

    /** Weights are fetched while the processor multiplies, but not all of that time is hidden. */
    private static double reading(double weights) {
        return 4 * weights < NEAR_BYTES ? 0 : 4 * weights / BYTES_PER_STEP;
    }
}
