package dev.millrace.kernels.conv;

/**
 * A variant of Winograd's minimal filtering algorithm for 3×3 convolutions (Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks", 2015): squares of outputs are computed from transformed squares of inputs and
 * transformed weights, with fewer products.
 */
enum WinogradKind {
    /** F(2×2, 3×3): 16 products for 4 outputs. */
    SQUARES_OF_2(
            2,
            "0, 1, -1, infinity",
            new double[][] {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
            new double[][] {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
            new double[][] {{1, 1, 1, 0}, {0, 1, -1, -1}}),
    /**
     * F(4×4, 3×3): 36 products for 16 outputs; outputs of order 1 are off by less than 1e-5. The interpolation points
     * are 0, the roots of a half and of two with both signs, and infinity: a third of the error of 0, 1 and 2.
     */
    SQUARES_OF_4(
            4,
            "0, +-sqrt(1/2), +-sqrt(2), infinity",
            new double[][] {
                {1, 0, -2.5, 0, 1, 0},
                {0, -2 * Roots.HALF, -2, Roots.HALF, 1, 0},
                {0, 2 * Roots.HALF, -2, -Roots.HALF, 1, 0},
                {0, -Roots.TWO / 2, -0.5, Roots.TWO, 1, 0},
                {0, Roots.TWO / 2, -0.5, -Roots.TWO, 1, 0},
                {0, 1, 0, -2.5, 0, 1}
            },
            new double[][] {
                {1, 0, 0},
                {-2 / 3.0, -2 / 3.0 * Roots.HALF, -1 / 3.0},
                {-2 / 3.0, 2 / 3.0 * Roots.HALF, -1 / 3.0},
                {1 / 6.0, Roots.TWO / 6, 1 / 3.0},
                {1 / 6.0, -Roots.TWO / 6, 1 / 3.0},
                {0, 0, 1}
            },
            new double[][] {
                {1, 1, 1, 1, 1, 0},
                {0, Roots.HALF, -Roots.HALF, Roots.TWO, -Roots.TWO, 0},
                {0, 0.5, 0.5, 2, 2, 0},
                {0, Roots.HALF / 2, -Roots.HALF / 2, 2 * Roots.TWO, -2 * Roots.TWO, 1}
            });

    private static final class Roots {
        static final double HALF = Math.sqrt(0.5);
        static final double TWO = Math.sqrt(2);
    }

    static final int TAPS = 3;

    private final int outputs;
    private final String points;
    private final LinearMap ofInput;
    private final LinearMap ofWeights;
    private final LinearMap ofOutput;

    WinogradKind(int outputs, String points, double[][] ofInput, double[][] ofWeights, double[][] ofOutput) {
        this.outputs = outputs;
        this.points = points;
        this.ofInput = LinearMap.of(ofInput);
        this.ofWeights = LinearMap.of(ofWeights);
        this.ofOutput = LinearMap.of(ofOutput);
    }

    /** The side of a square of outputs. */
    int outputs() {
        return outputs;
    }

    /**
     * The interpolation points, as text for the names of packed layouts, because the transformed weights depend on
     * them.
     */
    String points() {
        return points;
    }

    /** The side of a square of inputs. */
    int inputs() {
        return outputs + TAPS - 1;
    }

    /** The number of products for a square. */
    int products() {
        return inputs() * inputs();
    }

    LinearMap ofInput() {
        return ofInput;
    }

    LinearMap ofOutput() {
        return ofOutput;
    }

    LinearMap ofWeights() {
        return ofWeights;
    }
}
