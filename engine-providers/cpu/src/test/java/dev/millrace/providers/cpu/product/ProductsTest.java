package dev.millrace.providers.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProductsTest {
    private final Random random = new Random(7);

    @ParameterizedTest
    @CsvSource({"1,1,1", "3,5,7", "64,64,256", "65,67,259", "130,70,300", "4,9,513", "1,130,600"})
    void matMulIsTheSumOfProductsWhereverBlocksEnd(int m, int k, int n) {
        float[] a = values(m * k);
        float[] b = values(k * n);
        Tensor result = OneNode.onnx("MatMul", 13).run(Tensor.copyOf(a, m, k), Tensor.copyOf(b, k, n));
        assertClose(result.floats(), product(a, b, m, k, n));
        Tensor doubles = OneNode.onnx("MatMul", 13).run(wide(a, m, k), wide(b, k, n));
        assertThat(doubles.doubles()).containsExactly(product(a, b, m, k, n), within(1e-12));
    }

    @ParameterizedTest
    @CsvSource({"1,70,30", "3,70,30", "5,70,300", "70,3,5"})
    void gemmWithEitherOperandTransposedIsTheSameProduct(int m, int k, int n) {
        float[] a = values(m * k);
        float[] b = values(k * n);
        float[] c = values(n);
        double[] expected = product(a, b, m, k, n);
        for (int i = 0; i < expected.length; i++) {
            expected[i] = 0.5 * expected[i] + 2 * c[i % n];
        }
        for (int form = 0; form < 4; form++) {
            boolean left = (form & 1) != 0;
            boolean right = (form & 2) != 0;
            OneNode gemm = OneNode.onnx("Gemm", 13)
                    .with("transA", left ? 1 : 0)
                    .with("transB", right ? 1 : 0)
                    .with("alpha", Attribute.of(0.5f))
                    .with("beta", Attribute.of(2f));
            float[] x = left ? turned(a, m, k) : a;
            float[] y = right ? turned(b, k, n) : b;
            long[] ofX = left ? new long[] {k, m} : new long[] {m, k};
            long[] ofY = right ? new long[] {n, k} : new long[] {k, n};
            Tensor floats = gemm.run(Tensor.copyOf(x, ofX), Tensor.copyOf(y, ofY), Tensor.copyOf(c, n));
            assertClose(floats.floats(), expected);
            Tensor doubles = gemm.run(wide(x, ofX), wide(y, ofY), wide(c, n));
            assertThat(doubles.doubles()).containsExactly(expected, within(1e-12));
        }
    }

    @Test
    void linearAddsBiasAndActivates() {
        float[] x = values(2 * 3 * 70);
        float[] w = values(70 * 40);
        float[] bias = values(40);
        double[] expected = product(x, w, 6, 70, 40);
        for (int i = 0; i < expected.length; i++) {
            expected[i] = Math.max(0, expected[i] + bias[i % 40]);
        }
        OneNode linear = OneNode.of(OpId.MILLRACE, "Linear", 1).with("activation", "Relu");
        Tensor floats = linear.run(Tensor.copyOf(x, 2, 3, 70), Tensor.copyOf(w, 70, 40), Tensor.copyOf(bias, 40));
        assertClose(floats.floats(), expected);
        Tensor doubles = linear.run(wide(x, 2, 3, 70), wide(w, 70, 40), wide(bias, 40));
        assertThat(doubles.doubles()).containsExactly(expected, within(1e-12));
    }

    @Test
    void fusedMatMulTransposesAndScalesEachBatch() {
        float[] a = values(2 * 5 * 6);
        float[] b = values(2 * 6 * 4);
        double[] expected = new double[2 * 5 * 4];
        float[] turnedA = new float[a.length];
        float[] turnedB = new float[b.length];
        for (int batch = 0; batch < 2; batch++) {
            float[] left = Arrays.copyOfRange(a, batch * 30, batch * 30 + 30);
            float[] right = Arrays.copyOfRange(b, batch * 24, batch * 24 + 24);
            System.arraycopy(turned(left, 5, 6), 0, turnedA, batch * 30, 30);
            System.arraycopy(turned(right, 6, 4), 0, turnedB, batch * 24, 24);
            double[] part = product(left, right, 5, 6, 4);
            for (int i = 0; i < part.length; i++) {
                expected[batch * 20 + i] = 0.25 * part[i];
            }
        }
        OneNode fused = OneNode.of(OpId.MICROSOFT, "FusedMatMul", 1)
                .with("transA", 1)
                .with("transB", 1)
                .with("alpha", Attribute.of(0.25f));
        Tensor floats = fused.run(Tensor.copyOf(turnedA, 2, 6, 5), Tensor.copyOf(turnedB, 2, 4, 6));
        assertClose(floats.floats(), expected);
        Tensor doubles = fused.run(wide(turnedA, 2, 6, 5), wide(turnedB, 2, 4, 6));
        assertThat(doubles.doubles()).containsExactly(expected, within(1e-12));
    }

    private float[] values(int count) {
        return RandomTensors.uniform(random, -0.5f, 0.5f, count).floats();
    }

    private static Tensor wide(float[] values, long... dims) {
        double[] wide = new double[values.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = values[i];
        }
        return Tensor.copyOf(wide, dims);
    }

    private static float[] turned(float[] matrix, int rows, int columns) {
        float[] turned = new float[matrix.length];
        for (int i = 0; i < matrix.length; i++) {
            turned[i % columns * rows + i / columns] = matrix[i];
        }
        return turned;
    }

    private static double[] product(float[] a, float[] b, int m, int k, int n) {
        double[] product = new double[m * n];
        for (int i = 0; i < m * n; i++) {
            for (int j = 0; j < k; j++) {
                product[i] += (double) a[i / n * k + j] * b[j * n + i % n];
            }
        }
        return product;
    }

    private static void assertClose(float[] actual, double[] expected) {
        assertThat(actual).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) actual[i]).as("element %d", i).isCloseTo(expected[i], within(1e-5));
        }
    }

    @Test
    void zeroPointsAreByRowAndColumnOfEachMatrix() {
        int[] a = {1, 2, 3, 4, 5, 6, 7, 8};
        int[] b = {8, 7, 6, 5, 4, 3, 2, 1};
        int[] rows = {1, 2, 3, 4};
        int[] columns = {4, 3, 2, 1};
        for (int count : new int[] {1, 2, 4}) {
            int[] expected = new int[8];
            for (int i = 0; i < 8; i++) {
                int matrix = i / 4;
                int row = i / 2;
                int column = matrix * 2 + i % 2;
                for (int k = 0; k < 2; k++) {
                    int x = a[row * 2 + k] - rows[count == 1 ? 0 : row % count];
                    int y = b[matrix * 4 + k * 2 + i % 2] - columns[count == 1 ? 0 : column % count];
                    expected[i] += x * y;
                }
            }
            long[] shape = count == 4 ? new long[] {2, 2, 1} : new long[] {count};
            long[] across = count == 4 ? new long[] {2, 1, 2} : new long[] {count};
            Tensor result = OneNode.onnx("MatMulInteger", 10)
                    .run(bytes(a, 2, 2, 2), bytes(b, 2, 2, 2), bytes(rows, shape), bytes(columns, across));
            assertThat(result.longs())
                    .containsExactly(Arrays.stream(expected).asLongStream().toArray());
        }
    }

    private static Tensor bytes(int[] values, long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.UINT8, Shape.of(dims));
        for (int i = 0; i < tensor.elements(); i++) {
            Elements.setLong(ElementType.UINT8, tensor.segment(), i, values[i]);
        }
        return tensor;
    }
}
