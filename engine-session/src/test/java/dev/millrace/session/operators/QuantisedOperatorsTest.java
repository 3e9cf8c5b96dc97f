package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Operators on quantised numbers. Where ONNX Runtime computes with tables or fixed points, results may be one step apart. */
@Tag("reference")
class QuantisedOperatorsTest {
    private static final double A_STEP = 1;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(71);

    private static Tensor zero(ElementType type) {
        return Draw.one(type, type == ElementType.UINT8 ? 119 : -7);
    }

    private static Tensor bytes(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return Tensor.copyOf(bytes, values.length);
    }

    @Test
    void sumsAndProductsOfSteps() {
        Tensor a = bytes(-8, 0, 7, 127);
        Tensor b = bytes(2, 4, -6, 127);
        Tensor zero = Draw.one(ElementType.INT8, 1);
        Tensor sum = OneOperator.contributed("QLinearAdd")
                .on(a, Draw.scale(0.5), zero, b, Draw.scale(0.25), null, Draw.scale(0.5), zero)
                .run(engine);
        // -4.5 + 0.5, -0.5 + 1, 3 - 1.5 and 63 + 31.75, in steps of a half
        assertThat(OneOperator.numbers(sum)).containsExactly(-7, 2, 4, 127);
        Tensor product = OneOperator.contributed("QLinearMul")
                .on(a, Draw.scale(0.5), zero, b, Draw.scale(0.25), null, Draw.scale(0.5), zero)
                .run(engine);
        // -2.25, -0.5, -4.5, 2000.25
        assertThat(OneOperator.numbers(product)).containsExactly(-3, 0, -8, 127);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void binaryOperators(ElementType type) throws Exception {
        for (String name : new String[] {"QLinearAdd", "QLinearMul"}) {
            for (long[] other : new long[][] {{2, 5, 9}, {9}, {5, 1}, {}}) {
                OneOperator.contributed(name)
                        .on(draw.whole(type, 2, 5, 9), Draw.scale(0.02), zero(type))
                        .on(draw.whole(type, other), Draw.scale(0.03), zero(type))
                        .holding(Draw.scale(0.06), zero(type))
                        .agrees(engine, A_STEP);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void unaryOperators(ElementType type) throws Exception {
        Tensor x = draw.whole(type, 3, 40);
        OneOperator.contributed("QLinearSigmoid")
                .on(x)
                .holding(Draw.scale(0.05), zero(type), Draw.scale(1.0 / 256), Draw.one(type, 0))
                .agrees(engine, A_STEP);
        OneOperator.contributed("QLinearLeakyRelu")
                .with("alpha", 0.1f)
                .on(x)
                .holding(Draw.scale(0.05), zero(type), Draw.scale(0.04), zero(type))
                .agrees(engine, A_STEP);
        OneOperator.contributed("QLinearLeakyRelu")
                .on(x)
                .holding(Draw.scale(0.05), zero(type), Draw.scale(0.04), zero(type))
                .agrees(engine, A_STEP);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void softmax(ElementType type) throws Exception {
        for (long opset : new long[] {11, 13}) {
            for (long axis : new long[] {1, 2, -1}) {
                OneOperator.contributed("QLinearSoftmax")
                        .with("opset", opset)
                        .with("axis", axis)
                        .on(draw.whole(type, 2, 3, 7))
                        .holding(Draw.scale(0.03), zero(type), Draw.scale(1.0 / 256), Draw.one(type, 0))
                        .agrees(engine, A_STEP);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void poolings(ElementType type) throws Exception {
        for (long last : new long[] {0, 1}) {
            Tensor x = last == 0 ? draw.whole(type, 2, 5, 9, 8) : draw.whole(type, 2, 9, 8, 5);
            OneOperator.contributed("QLinearGlobalAveragePool")
                    .with("channels_last", last)
                    .on(x)
                    .holding(Draw.scale(0.03), zero(type), Draw.scale(0.01), zero(type))
                    .agrees(engine, A_STEP);
            for (long counts : new long[] {0, 1}) {
                OneOperator.contributed("QLinearAveragePool")
                        .with("channels_last", last)
                        .with("count_include_pad", counts)
                        .list("kernel_shape", 3, 2)
                        .list("pads", 1, 0, 1, 1)
                        .list("strides", 2, 1)
                        .on(x)
                        .holding(Draw.scale(0.03), zero(type), Draw.scale(0.02), zero(type))
                        .agrees(engine, A_STEP);
            }
        }
        OneOperator.contributed("NhwcMaxPool")
                .list("kernel_shape", 3, 2)
                .list("pads", 1, 0, 1, 1)
                .list("strides", 2, 1)
                .on(draw.whole(type, 2, 9, 8, 5))
                .agrees(engine, 0);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void concatenationsAndChoices(ElementType type) throws Exception {
        OneOperator.contributed("QLinearConcat")
                .with("axis", 1)
                .holding(Draw.scale(0.04), zero(type))
                .on(draw.whole(type, 2, 3))
                .holding(Draw.scale(0.03), zero(type))
                .on(draw.whole(type, 2, 5))
                .holding(Draw.scale(0.05), Draw.one(type, 3))
                .agrees(engine, A_STEP);
        OneOperator.contributed("QLinearWhere")
                .on(Tensor.copyOf(new boolean[] {true, false, true}, 3))
                .on(draw.whole(type, 4, 3))
                .holding(Draw.scale(0.03), zero(type))
                .on(draw.whole(type, 4, 1))
                .holding(Draw.scale(0.05), Draw.one(type, 3), Draw.scale(0.06), zero(type))
                .agrees(engine, A_STEP);
    }

    @Test
    void means() {
        OneOperator mean = OneOperator.contributed("QLinearReduceMean")
                .list("axes", -1)
                .with("keepdims", 0)
                .on(Tensor.copyOf(new byte[] {1, 2, 3, -6, -8, -9}, 2, 3))
                .holding(Draw.scale(0.5), Draw.one(ElementType.INT8, 1), Draw.scale(0.25))
                .holding(Draw.one(ElementType.INT8, -1));
        Tensor means = mean.run(engine);
        // 0.5 and -13/3 in quarters, which are 2 and -17.3, from -1
        assertThat(means.shape()).isEqualTo(Shape.of(2));
        assertThat(OneOperator.numbers(means)).containsExactly(1, -18);
    }

    @Test
    void convolutionsWithChannelsLast() throws Exception {
        for (long group : new long[] {1, 3}) {
            OneOperator.contributed("QLinearConv")
                    .with("channels_last", 1)
                    .with("group", group)
                    .list("pads", 1, 1, 0, 0)
                    .on(draw.whole(ElementType.UINT8, 2, 8, 7, 3))
                    .holding(Draw.scale(0.02), Draw.one(ElementType.UINT8, 128))
                    .holding(draw.weights(6, 3 / group, 3, 2), draw.scales(6))
                    .holding(Tensor.copyOf(new byte[6], 6), Draw.scale(0.4), Draw.one(ElementType.UINT8, 100))
                    .holding(draw.below(ElementType.INT32, 500, 6))
                    .agrees(engine, A_STEP);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8"})
    void productsWithScales(ElementType type) throws Exception {
        for (long[] columns : new long[][] {{}, {7}}) {
            Tensor b = draw.below(type, 60, 12, 7);
            Tensor zeros = draw.below(type, 9, columns);
            Tensor scales = draw.scales(columns);
            OneOperator.contributed("MatMulIntegerToFloat")
                    .on(draw.below(ElementType.UINT8, 100, 2, 5, 12))
                    .holding(b, Draw.scale(0.05), scales, Draw.one(ElementType.UINT8, 40), zeros, draw.floats(7))
                    .agrees(engine, 1e-4);
            OneOperator.contributed("MatMulIntegerToFloat")
                    .on(draw.below(ElementType.UINT8, 100, 5, 12), b, Draw.scale(0.05), scales)
                    .agrees(engine, 1e-4);
            OneOperator.contributed("DynamicQuantizeMatMul")
                    .on(draw.floats(3, 4, 12))
                    .holding(b, scales, zeros, draw.floats(7))
                    .agrees(engine, 1e-4);
            OneOperator.contributed("DynamicQuantizeMatMul")
                    .on(draw.floats(4, 12), b, scales)
                    .agrees(engine, 1e-4);
        }
    }

    @Test
    void generalProducts() throws Exception {
        Tensor a = draw.below(ElementType.UINT8, 100, 5, 12);
        Tensor b = draw.below(ElementType.INT8, 60, 7, 12);
        Tensor c = draw.below(ElementType.INT32, 1000, 7);
        Tensor zero = Draw.one(ElementType.UINT8, 40);
        OneOperator.contributed("QGemm")
                .with("transB", 1)
                .on(a)
                .holding(Draw.scale(0.05), zero, b, draw.scales(7), draw.below(ElementType.INT8, 9, 7), c)
                .agrees(engine, 1e-4);
        OneOperator.contributed("QGemm")
                .with("transB", 1)
                .with("alpha", 0.5f)
                .on(a)
                .holding(Draw.scale(0.05), zero, b, Draw.scale(0.03), Draw.one(ElementType.INT8, 2), c)
                .holding(Draw.scale(0.2), Draw.one(ElementType.UINT8, 100))
                .agrees(engine, A_STEP);
    }

    @Test
    void widerAndNarrowerSteps() throws Exception {
        Tensor x = draw.floats(3, 8);
        for (ElementType type : new ElementType[] {
            ElementType.INT8,
            ElementType.UINT8,
            ElementType.INT16,
            ElementType.UINT16,
            ElementType.INT4,
            ElementType.UINT4
        }) {
            OneOperator.contributed("QuantizeLinear")
                    .castTo(ElementType.FLOAT)
                    .on(x)
                    .holding(Draw.scale(0.11), Draw.one(type, 3))
                    .agrees(engine, 0);
            OneOperator.contributed("QuantizeLinear")
                    .with("axis", 0)
                    .castTo(ElementType.FLOAT)
                    .on(x)
                    .holding(draw.scales(3), draw.below(type, 7, 3))
                    .agrees(engine, 0);
            OneOperator.contributed("DequantizeLinear")
                    .with("axis", 1)
                    .holding(draw.whole(type, 3, 8))
                    .on(draw.scales(8))
                    .holding(draw.below(type, 7, 8))
                    .agrees(engine, 1e-4);
        }
        OneOperator.contributed("DequantizeLinear")
                .on(draw.below(ElementType.INT32, 3000, 3, 8), Draw.scale(0.01))
                .agrees(engine, 1e-6);
    }

    /** ONNX Runtime quantises what it multiplies with the weights, too; the weights are what the operator is given. */
    @Test
    void recurrentLayersWithSmallWeights() throws Exception {
        for (String direction : new String[] {"forward", "bidirectional"}) {
            long d = direction.equals("forward") ? 1 : 2;
            for (long[] scales : new long[][] {{d}, {d, 16}}) {
                OneOperator.contributed("DynamicQuantizeLSTM")
                        .with("hidden_size", 4)
                        .with("direction", direction)
                        .outputs(3)
                        .on(draw.floats(5, 2, 3))
                        .holding(draw.weights(d, 3, 16), draw.weights(d, 4, 16))
                        .on(draw.floats(d, 32), null, draw.floats(d, 2, 4), draw.floats(d, 2, 4), null)
                        .holding(hundredths(scales), Draw.zeros(ElementType.INT8, scales))
                        .holding(hundredths(scales), Draw.zeros(ElementType.INT8, scales))
                        .agrees(engine, 0.03);
            }
        }
    }

    private static Tensor hundredths(long... dims) {
        return Draw.filled(ElementType.FLOAT, 0.005, dims);
    }

    /** A product with weights in blocks of 16. */
    private OneOperator blocked(int bits, int k, int n) {
        int blocks = (k + 15) / 16;
        return OneOperator.contributed("MatMulNBits")
                .with("K", k)
                .with("N", n)
                .with("bits", bits)
                .with("block_size", 16)
                .on(draw.floats(2, 3, k))
                .holding(draw.below(ElementType.UINT8, 256, n, blocks, 2L * bits), draw.scales((long) n * blocks));
    }

    @Test
    void weightsInBlocksByHand() {
        var words = new byte[8];
        words[0] = (byte) 0xA7;
        Tensor weights = Tensor.wrap(
                ElementType.UINT8, Shape.of(1, 1, 8), Tensor.copyOf(words, 8).segment());
        OneOperator product = OneOperator.contributed("MatMulNBits")
                .with("K", 2)
                .with("N", 1)
                .with("bits", 4)
                .with("block_size", 16)
                .on(Tensor.copyOf(new float[] {3, 5}, 1, 2), weights, Tensor.copyOf(new float[] {0.5f}, 1));
        // 7 and 10 less 8, halved
        assertThat(product.run(engine).floats()).containsExactly(-1.5f + 5);
    }

    /** Their order is that of one maker's processors; ONNX Runtime reads them as if it were not. */
    @Test
    void weightsThatWerePackedForAnotherProcessorAreRefused() {
        OneOperator packed = blocked(4, 32, 5).with("weight_prepacked", 1);
        assertThatThrownBy(() -> packed.run(engine)).hasMessageContaining("weight_prepacked");
    }

    @Test
    void weightsInBlocks() throws Exception {
        for (int bits : new int[] {4, 8}) {
            blocked(bits, 32, 5).agrees(engine, 1e-3);
            blocked(bits, 40, 3)
                    .holding(draw.below(ElementType.UINT8, 256, 3L * ((3 * bits + 7) / 8)))
                    .agrees(engine, 1e-3);
        }
        blocked(4, 40, 3).holding(draw.scales(9)).agrees(engine, 1e-3);
        blocked(4, 32, 5).on(null, null).holding(draw.floats(5)).agrees(engine, 1e-3);
        blocked(4, 32, 5)
                .on((Tensor) null)
                .holding(draw.below(ElementType.INT32, 2, 32))
                .agrees(engine, 1e-3);
    }

    @Test
    void aRangeOfNothingHasTheScaleOne() throws Exception {
        for (float value : new float[] {0, -0f}) {
            OneOperator.onnx("DynamicQuantizeLinear", 11)
                    .outputs(3)
                    .on(Draw.filled(ElementType.FLOAT, value, 3, 2))
                    .agrees(engine, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT16", "UINT16", "INT4", "UINT4"})
    void whatIsNoNumberHasTheLeastElement(ElementType type) throws Exception {
        float[] x = new float[2 * 22];
        for (int i = 0; i < x.length; i++) {
            x[i] = i % 3 == 0 ? Float.NaN : i % 7 - 3;
        }
        for (int count : new int[] {1, 2}) {
            Tensor scale = Draw.filled(ElementType.FLOAT, 0.5f, count);
            Tensor zero = Draw.filled(type, 3, count);
            quantised(x).holding(scale, zero).agrees(engine, 0);
            quantised(x).on(scale).holding(zero).agrees(engine, 0);
        }
    }

    private static OneOperator quantised(float[] x) {
        return OneOperator.onnx("QuantizeLinear", 21)
                .with("axis", 0)
                .castTo(ElementType.FLOAT)
                .on(Tensor.copyOf(x, 2, x.length / 2));
    }
}
