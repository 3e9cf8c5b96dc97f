package dev.millrace.providers.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CumulativeTest {
    private static final int OUTER = 2;
    private static final int LENGTH = 4;

    /** Lanes side by side are as many as fill no block, one, and more than one. */
    @ParameterizedTest
    @CsvSource({"1,0,0", "9,0,0", "9,1,0", "9,0,1", "1024,1,1", "1030,0,1"})
    void lanesAreAddedUpAndMultipliedOneByOne(int inner, int exclusive, int reverse) {
        double[] values = new double[OUTER * LENGTH * inner];
        for (int i = 0; i < values.length; i++) {
            values[i] = 1 + i % 7;
        }
        double[] sums = new double[values.length];
        double[] products = new double[values.length];
        for (int lane = 0; lane < OUTER * inner; lane++) {
            double sum = 0;
            double product = 1;
            for (int i = 0; i < LENGTH; i++) {
                int step = reverse == 1 ? LENGTH - 1 - i : i;
                int at = (lane / inner * LENGTH + step) * inner + lane % inner;
                sums[at] = exclusive == 1 ? sum : sum + values[at];
                products[at] = exclusive == 1 ? product : product * values[at];
                sum += values[at];
                product *= values[at];
            }
        }
        assertThat(run("CumSum", 14, values, inner, exclusive, reverse)).isEqualTo(sums);
        assertThat(run("CumProd", 26, values, inner, exclusive, reverse)).isEqualTo(products);
    }

    private static double[] run(String operator, int opset, double[] values, int inner, int exclusive, int reverse) {
        return OneNode.onnx(operator, opset)
                .with("exclusive", exclusive)
                .with("reverse", reverse)
                .run(Tensor.copyOf(values, OUTER, LENGTH, inner), Tensor.scalar(1L))
                .doubles();
    }
}
