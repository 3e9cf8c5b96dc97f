package dev.millrace.providers.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PowerTest {
    private static final double[] BASES = {
        0,
        -0.0,
        1,
        -1,
        2,
        -3,
        7,
        10,
        1.5,
        94906266,
        0x1p53,
        -0x1p53,
        1e300,
        5e-324,
        Double.NaN,
        Double.NEGATIVE_INFINITY
    };
    private static final double[] EXPONENTS = {
        0, -0.0, 1, 2, 3, 13, 31, 52, 53, 63, 64, -1, 0.5, 1e10, Double.NaN, Double.POSITIVE_INFINITY
    };

    @Test
    void doublesToThePowerOfDoublesAreThoseOfJavaAndAllPowersOfOneAreOne() {
        List<Double> expected = new ArrayList<>();
        for (double base : BASES) {
            for (double exponent : EXPONENTS) {
                boolean isOne = base == 1 || base == -1 && Double.isInfinite(exponent);
                expected.add(isOne ? 1 : Math.pow(base, exponent));
            }
        }
        double[] powers = OneNode.onnx("Pow", 15)
                .run(Tensor.copyOf(BASES, BASES.length, 1), Tensor.copyOf(EXPONENTS, EXPONENTS.length))
                .doubles();
        assertThat(powers)
                .containsExactly(
                        expected.stream().mapToDouble(Double::doubleValue).toArray());
    }
}
