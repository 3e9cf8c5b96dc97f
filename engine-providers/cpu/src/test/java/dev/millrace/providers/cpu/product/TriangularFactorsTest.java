package dev.millrace.providers.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Determinants and inverses, which are of one decomposition. */
class TriangularFactorsTest {
    private static final int N = 7;

    private final Random random = new Random(5);

    private static Tensor inverse(Tensor matrices) {
        return OneNode.of(OpId.MICROSOFT, "Inverse", 1).run(matrices);
    }

    private static double[] determinants(Tensor matrices) {
        return OneNode.onnx("Det", 11).run(matrices).doubles();
    }

    @Test
    void aMatrixTimesItsInverseIsTheIdentity() {
        Tensor matrix = RandomTensors.reals(ElementType.DOUBLE, Shape.of(N, N), random::nextGaussian);
        Tensor product = OneNode.onnx("MatMul", 13).run(matrix, inverse(matrix));
        for (int i = 0; i < N * N; i++) {
            assertThat(product.doubles()[i]).isCloseTo(i % (N + 1) == 0 ? 1 : 0, within(1e-12));
        }
    }

    @Test
    void theDeterminantOfTheInverseIsTheReciprocal() {
        Tensor matrices = RandomTensors.reals(ElementType.DOUBLE, Shape.of(3, N, N), random::nextGaussian);
        double[] there = determinants(matrices);
        double[] back = determinants(inverse(matrices));
        for (int i = 0; i < there.length; i++) {
            assertThat(there[i] * back[i]).isCloseTo(1, within(1e-10));
        }
    }

    /** The first takes two swaps of rows, the second one. */
    @Test
    void anOrderOfRowsHasItsSign() {
        assertThat(determinants(
                        Tensor.copyOf(new double[] {0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1}, 2, 3, 3)))
                .containsExactly(1, -1);
    }

    @Test
    void aSingularMatrixHasNoInverse() {
        Tensor matrices = Tensor.copyOf(new double[] {1, 2, 3, 2, 4, 6, 1, 0, 1, 2, 0, 0, 0, 2, 0, 0, 0, 2}, 2, 3, 3);
        assertThat(determinants(matrices)).containsExactly(0, 8);
        double[] inverse = inverse(matrices).doubles();
        for (int i = 0; i < inverse.length; i++) {
            assertThat(Double.isFinite(inverse[i])).as("number %d", i).isEqualTo(i >= 9);
        }
    }
}
