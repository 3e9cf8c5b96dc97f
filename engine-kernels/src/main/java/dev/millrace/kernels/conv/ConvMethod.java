package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Target;

/** The algorithm of a convolution. */
public enum ConvMethod {
    /** Direct convolution: the sums of the definition. */
    DIRECT,
    /** Winograd with {@link WinogradKind#SQUARES_OF_2}; errors are some times those of direct sums. */
    WINOGRAD_2,
    /** Winograd with {@link WinogradKind#SQUARES_OF_4}; errors are some ten times those of direct sums. */
    WINOGRAD_4;

    /** Bytes of weights that are read from outside of the near caches in the time of one multiply-add of all lanes. */
    private static final double BYTES_PER_STEP = 2.5;
    /** Weight bytes assumed to stay in the second-level cache between runs. */
    private static final long NEAR_BYTES = 1 << 20;
    /** The cost of transforming one product of a square for a block of channels, counted in multiply-adds. */
    private static final double STEPS_PER_TRANSFORM = 6;

    /** Whether this algorithm can compute a convolution of a shape. */
    public boolean fits(ConvShape shape, Target target) {
        return this == DIRECT || Winograd.fits(shape, target.lanes());
    }

    /**
     * Selects the algorithm with the least estimated time.
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

    /**
     * The time of reading weights, in steps. Weights are fetched while the processor multiplies, but not all of that
     * time is hidden.
     */
    private static double reading(double weights) {
        return 4 * weights < NEAR_BYTES ? 0 : 4 * weights / BYTES_PER_STEP;
    }
}
