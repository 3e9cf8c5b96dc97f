package dev.millrace.kernels.conv;

/**
 * A way to do 3×3 convolutions with fewer products (Winograd; Lavin and Gray, 2015): squares of outputs are made from
 * transformed squares of inputs and transformed weights.
 */
enum WinogradKind {
    /** 16 products for 4 outputs. */
    SQUARES_OF_2(
            2,
            "0, 1, -1, infinity",
            new double[][] {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
            new double[][] {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
            new double[][] {{1, 1, 1, 0}, {0, 1, -1, -1}}),
    /**
     * 36 products for 16 outputs; outputs of order 1 are off by less than 1e-5. Polynomials are multiplied at 0, at the
     * roots of a half and of two with both signs, and at infinity: a third of the error of 0, 1 and 2.
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

    /** Where polynomials are multiplied, for names: transformed weights depend on it. */
    String points() {
        return points;
    }

    /** The side of a square of inputs. */
    int inputs() {
        return outputs + TAPS - 1;
    }

    /** How many products stand for a square. */
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
