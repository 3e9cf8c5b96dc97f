package dev.millrace.providers.simd.rule.product;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class WeightRulesTest {
    private final Random random = new Random();

    /** A product with weights in blocks, and the same numbers as floats. */
    private final class Product {
        private final int bits;
        private final int block;
        private final int accuracy;
        private final int k = 1 + random.nextInt(150);
        private final int n = 1 + random.nextInt(60);
        private final int blocks;
        private final boolean withZeros = random.nextBoolean();
        private final boolean withBias = random.nextBoolean();
        private final byte[] data;
        private final byte[] zeros;
        private final Tensor scales;
        private final Tensor bias = Comparison.random(random, n);

        Product(int bits, int block, int accuracy) {
            this.bits = bits;
            this.block = block;
            this.accuracy = accuracy;
            blocks = (k + block - 1) / block;
            data = new byte[n * blocks * block * bits / 8];
            zeros = new byte[n * ((blocks * bits + 7) / 8)];
            random.nextBytes(data);
            random.nextBytes(zeros);
            Tensor floats = Comparison.random(random, n * blocks);
            scales = random.nextBoolean() ? floats : halves(floats);
        }

        private int element(byte[] packed, int start, int index) {
            int all = packed[start + index * bits / 8] & 0xff;
            return bits == 8 ? all : all >> 4 * (index % 2) & 15;
        }

        private Tensor weights() {
            float[] by = scales.floats();
            float[] floats = new float[k * n];
            for (int column = 0; column < n; column++) {
                for (int row = 0; row < k; row++) {
                    int at = column * blocks + row / block;
                    int zero = withZeros ? element(zeros, column * (zeros.length / n), row / block) : 1 << bits - 1;
                    int weight = element(data, at * block * bits / 8, row % block);
                    floats[row * n + column] = (weight - zero) * by[at];
                }
            }
            return Tensor.copyOf(floats, k, n);
        }

        /** The largest sum of the magnitudes of terms, for inputs of up to one. */
        private double terms() {
            float[] floats = weights().floats();
            double largest = 0;
            for (int column = 0; column < n; column++) {
                double sum = 1;
                for (int row = 0; row < k; row++) {
                    sum += Math.abs(floats[row * n + column]);
                }
                largest = Math.max(largest, sum);
            }
            return largest;
        }

        void stored(GraphEditor editor) {
            Tensor words = unsigned(data, n, blocks, (long) block * bits / 8);
            List<@Nullable Value> inputs = new ArrayList<>();
            inputs.add(Comparison.floats(editor, "x", 3));
            inputs.add(editor.addConstant("w", words));
            inputs.add(editor.addConstant("s", scales));
            inputs.add(withZeros ? editor.addConstant("z", unsigned(zeros, zeros.length)) : null);
            inputs.add(null);
            inputs.add(withBias ? editor.addConstant("b", bias) : null);
            NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, "MatMulNBits"), 1, inputs)
                    .with(Attributes.of("K", Attribute.of(k))
                            .with("N", Attribute.of(n))
                            .with("bits", Attribute.of(bits))
                            .with("block_size", Attribute.of(block))
                            .with("accuracy_level", Attribute.of(accuracy)));
            Value product = editor.append(spec, List.of("p")).requireOutput(0);
            editor.addOutput("y", activated(editor, product));
        }

        void floats(GraphEditor editor) {
            Value product =
                    append(editor, "MatMul", Comparison.floats(editor, "x", 3), editor.addConstant("w", weights()));
            Value sum = withBias ? append(editor, "Add", product, editor.addConstant("b", bias)) : product;
            editor.addOutput("y", activated(editor, sum));
        }

        private Value activated(GraphEditor editor, Value product) {
            return append(editor, "Relu", product);
        }
    }

    private static Value append(GraphEditor editor, String name, Value... inputs) {
        return editor.append(NodeSpec.of(new OpId(OpId.ONNX, name), 17, inputs), List.of(name))
                .requireOutput(0);
    }

    private static Tensor unsigned(byte[] numbers, long... dims) {
        Tensor signed = Tensor.copyOf(numbers, dims);
        return Tensor.wrap(ElementType.UINT8, signed.shape(), signed.segment());
    }

    /** Returns the nearest numbers of half precision, as floats. */
    private static Tensor halves(Tensor floats) {
        float[] all = floats.floats();
        for (int i = 0; i < all.length; i++) {
            all[i] = Float.float16ToFloat(Float.floatToFloat16(all[i]));
        }
        return Tensor.copyOf(all, all.length);
    }

    @Test
    void scalesThatHalfPrecisionHoldsArePackedSo() {
        try (Kernels kernels = Kernels.open(System::getProperty)) {
            var weights = new Weights(new PackedTensors());
            var environment = new CompileEnvironment(kernels.set(), kernels.gemm(), weights, _ -> null);
            Tensor data = Tensor.allocate(ElementType.UINT8, Shape.of(4, 1, 16));
            Tensor floats = Tensor.copyOf(new float[] {0.5f, 0.1f, 2, 3}, 4);
            Tensor exact = halves(floats);
            assertThat(format(environment, data, exact)).isEqualTo(new WeightFormat(WeightType.INT4, 32, false, true));
            assertThat(format(environment, data, floats)).isEqualTo(new WeightFormat(WeightType.INT4, 32, false));
            put(environment, weights, List.of(data, exact), new WeightFormat(WeightType.INT4, 32, false));
            assertThat(format(environment, data, exact))
                    .as("that which is packed already")
                    .isEqualTo(new WeightFormat(WeightType.INT4, 32, false));
            put(environment, weights, List.of(data, floats), new WeightFormat(WeightType.INT4, 32, false, true));
            assertThat(format(environment, data, floats).halfScales()).isTrue();
        }
    }

    private static WeightFormat format(CompileEnvironment environment, Tensor data, Tensor scales) {
        return new StoredScales(environment, List.of(data, scales), 32, 4).format(WeightType.INT4, 32, false);
    }

    private static void put(
            CompileEnvironment environment, Weights weights, List<Tensor> sources, WeightFormat format) {
        var gemm = new WeightGemm(environment.kernels(), format);
        MemorySegment memory = Arena.ofAuto().allocate(gemm.packedBytes(32, 4), 64);
        weights.put(new PackedWeights(sources, gemm.packedLayout(), memory));
    }

    @ParameterizedTest
    @CsvSource({"4,16", "4,32", "4,128", "8,16", "8,64", "8,256"})
    void weightsInBlocksAgreeWithTheSameFloats(int bits, int block) {
        for (int i = 0; i < 10; i++) {
            var product = new Product(bits, block, 0);
            try (var both = new Comparison(product::stored, product::floats)) {
                both.summing(product.terms())
                        .agreesOn(Comparison.random(random, 1, 1, product.k))
                        .agreesOn(Comparison.random(random, 2, 5, product.k))
                        .withoutFallback();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"4,16", "4,32", "4,128", "4,256", "8,32"})
    void rowsAreRoundedWhereTheModelAllowsBytes(int bits, int block) {
        for (int i = 0; i < 10; i++) {
            var product = new Product(bits, block, 4);
            try (var both = new Comparison(product::stored)) {
                both.agreesOn(Comparison.random(random, 1, 1, product.k))
                        .agreesOn(Comparison.random(random, 2, 5, product.k))
                        .withoutFallback();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void weightsOf16BitsAgree(ElementType type) {
        for (int i = 0; i < 5; i++) {
            int k = 1 + random.nextInt(60);
            int n = 1 + random.nextInt(60);
            Tensor weights = steps(type, k, n);
            try (var both = new Comparison(editor -> editor.addOutput(
                    "y",
                    append(
                            editor,
                            "MatMul",
                            Comparison.input(editor, "x", type, 2),
                            editor.addConstant("w", weights))))) {
                both.agreesOn(steps(type, 1 + random.nextInt(9), k)).withoutFallback();
            }
        }
    }

    /** Small numbers whose products and sums are exact in any type. */
    private Tensor steps(ElementType type, int rows, int columns) {
        short[] numbers = new short[rows * columns];
        for (int i = 0; i < numbers.length; i++) {
            float number = random.nextInt(3) - 1;
            numbers[i] = type == ElementType.FLOAT16
                    ? Float.floatToFloat16(number)
                    : (short) (Float.floatToRawIntBits(number) >> 16);
        }
        Tensor tensor = Tensor.allocate(type, Shape.of(rows, columns));
        tensor.segment().copyFrom(MemorySegment.ofArray(numbers));
        return tensor;
    }
}
