package dev.millrace.kernels.conv;

/**
 * A way to do 3×3 convolutions with fewer products (Winograd; Lavin and Gray, 2015): squares of outputs are made from
 * transformed squares of inputs and transformed weights.
 */
public enum WinogradKind {
    /** 16 products for 4 outputs. */
    SQUARES_OF_2(
            2,
            new double[][] {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
            new double[][] {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
            new double[][] {{1, 1, 1, 0}, {0, 1, -1, -1}}),
    /** 36 products for 16 outputs; loses some two decimals. */
    SQUARES_OF_4(
            4,
            new double[][] {
                {4, 0, -5, 0, 1, 0},
                {0, -4, -4, 1, 1, 0},
                {0, 4, -4, -1, 1, 0},
                {0, -2, -1, 2, 1, 0},
                {0, 2, -1, -2, 1, 0},
                {0, 4, 0, -5, 0, 1}
            },
            new double[][] {
                {1 / 4.0, 0, 0},
                {-1 / 6.0, -1 / 6.0, -1 / 6.0},
                {-1 / 6.0, 1 / 6.0, -1 / 6.0},
                {1 / 24.0, 1 / 12.0, 1 / 6.0},
                {1 / 24.0, -1 / 12.0, 1 / 6.0},
                {0, 0, 1}
            },
            new double[][] {{1, 1, 1, 1, 1, 0}, {0, 1, -1, 2, -2, 0}, {0, 1, 1, 4, 4, 0}, {0, 1, -1, 8, -8, 1}});

    static final int TAPS = 3;

    private final int outputs;
    private final LinearMap ofInput;
    private final LinearMap ofWeights;
    private final LinearMap ofOutput;

    WinogradKind(int outputs, double[][] ofInput, double[][] ofWeights, double[][] ofOutput) {
        this.outputs = outputs;
        this.ofInput = LinearMap.of(ofInput);
        this.ofWeights = LinearMap.of(ofWeights);
        this.ofOutput = LinearMap.of(ofOutput);
    }

    /** The side of a square of outputs. */
    int outputs() {
        return outputs;
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

    /** The transformed weights of one pair of channels, from their square of taps, both row by row. */
    double[] transformWeights(double[] taps) {
        int size = inputs();
        double[] rows = new double[size * TAPS];
        for (int tap = 0; tap < TAPS; tap++) {
            double[] column = ofWeights.apply(new double[] {taps[tap], taps[TAPS + tap], taps[2 * TAPS + tap]});
            for (int i = 0; i < size; i++) {
                rows[i * TAPS + tap] = column[i];
            }
        }
        double[] result = new double[size * size];
        for (int i = 0; i < size; i++) {
            double[] row = ofWeights.apply(new double[] {rows[i * TAPS], rows[i * TAPS + 1], rows[i * TAPS + 2]});
            System.arraycopy(row, 0, result, i * size, size);
        }
        return result;
    }
}
