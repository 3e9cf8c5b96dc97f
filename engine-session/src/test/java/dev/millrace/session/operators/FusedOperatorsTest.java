package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the fused operators that ONNX Runtime's optimiser writes in place of several. */
@Tag("reference")
class FusedOperatorsTest {
    private static final double CLOSE = 2e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(72);

    @Test
    void convolutions() throws Exception {
        for (String activation : new String[] {"Relu", "Tanh", "Sigmoid"}) {
            OneOperator.contributed("FusedConv")
                    .with("activation", activation)
                    .list("kernel_shape", 3, 3)
                    .list("pads", 1, 1, 1, 1)
                    .on(draw.floats(2, 4, 7, 6))
                    .holding(draw.floats(8, 4, 3, 3), draw.floats(8))
                    .agrees(engine, CLOSE);
        }
        OneOperator.contributed("FusedConv")
                .with("activation", "LeakyRelu")
                .reals("activation_params", 0.3f)
                .with("group", 2)
                .list("strides", 2, 1)
                .on(draw.floats(1, 4, 7, 6))
                .holding(draw.floats(6, 2, 3, 3))
                .agrees(engine, CLOSE);
        OneOperator.contributed("FusedConv")
                .with("activation", "Clip")
                .reals("activation_params", -0.5f, 2f)
                .on(draw.floats(1, 4, 7, 6))
                .holding(draw.floats(6, 4, 3, 3))
                .agrees(engine, CLOSE);
        OneOperator.contributed("FusedConv")
                .with("activation", "HardSigmoid")
                .reals("activation_params", 0.3f, 0.4f)
                .on(draw.floats(1, 4, 7))
                .holding(draw.floats(6, 4, 3))
                .agrees(engine, CLOSE);
        OneOperator.contributed("FusedConv")
                .with("activation", "Relu")
                .on(draw.floats(1, 4, 7, 6))
                .holding(draw.floats(6, 4, 3, 3), draw.floats(6))
                .on(draw.floats(1, 6, 5, 4))
                .agrees(engine, CLOSE);
    }

    @Test
    void aBiasOfMoreAxesIsAddedAsTheFormulaSays() throws Exception {
        OneOperator.contributed("FastGelu")
                .on(draw.reals(ElementType.FLOAT16, 2, 3, 4), draw.reals(ElementType.FLOAT16, 3, 4))
                .agrees(engine, 2e-3);
    }

    @Test
    void generalProducts() throws Exception {
        for (String activation : new String[] {"Relu", "Tanh", "Sigmoid", "Softplus", "Softsign"}) {
            OneOperator.contributed("FusedGemm")
                    .with("activation", activation)
                    .with("alpha", 0.5f)
                    .with("beta", 2f)
                    .with("transB", 1)
                    .on(draw.floats(5, 7))
                    .holding(draw.floats(6, 7), draw.floats(6))
                    .agrees(engine, CLOSE);
        }
        OneOperator.contributed("FusedGemm")
                .with("activation", "LeakyRelu")
                .with("activation_alpha", 0.3f)
                .with("transA", 1)
                .on(draw.floats(7, 5), draw.floats(7, 6))
                .agrees(engine, CLOSE);
        OneOperator.contributed("FusedGemm")
                .with("activation", "HardSigmoid")
                .with("activation_alpha", 0.3f)
                .with("activation_beta", 0.4f)
                .on(draw.floats(5, 7), draw.floats(7, 6), draw.floats(5, 6))
                .agrees(engine, CLOSE);
        OneOperator.contributed("GemmFastGelu")
                .on(draw.floats(2, 5, 7), draw.floats(7, 6), draw.floats(6))
                .run(engine);
    }

    @Test
    void productsWhoseRowsAreInFrontOfTheBatch() throws Exception {
        for (long transposed : new long[] {0, 1}) {
            OneOperator.contributed("FusedMatMul")
                    .with("alpha", 0.5f)
                    .with("transBatchA", 1)
                    .with("transA", transposed)
                    .on(transposed == 0 ? draw.floats(4, 2, 3, 5) : draw.floats(5, 2, 3, 4), draw.floats(2, 3, 5, 6))
                    .agrees(engine, CLOSE);
            OneOperator.contributed("FusedMatMul")
                    .with("transBatchB", 1)
                    .with("transB", transposed)
                    .on(draw.floats(2, 4, 5), transposed == 0 ? draw.floats(5, 2, 6) : draw.floats(6, 2, 5))
                    .agrees(engine, CLOSE);
        }
        OneOperator.contributed("FusedMatMul")
                .with("transBatchA", 1)
                .with("transBatchB", 1)
                .on(draw.floats(4, 2, 5), draw.floats(5, 2, 6))
                .agrees(engine, CLOSE);
        Tensor product = OneOperator.contributed("FusedMatMulActivation")
                .with("activation", "Relu")
                .with("transB", 1)
                .on(Tensor.copyOf(new float[] {1, -2}, 1, 2), Tensor.copyOf(new float[] {3, 1, 1, 1}, 2, 2))
                .run(engine);
        assertThat(product.floats()).containsExactly(1, 0);
    }

    @Test
    void normsBeforeOnnxHadThem() throws Exception {
        for (int opset : new int[] {9, 12, 16}) {
            OneOperator.onnx("LayerNormalization", opset)
                    .with("axis", -1)
                    .with("epsilon", 1e-3f)
                    .on(draw.floats(2, 3, 16))
                    .holding(draw.floats(16), draw.floats(16))
                    .agrees(engine, CLOSE);
        }
        OneOperator.onnx("LayerNormalization", 12)
                .with("axis", 1)
                .outputs(3)
                .on(draw.floats(2, 3, 4))
                .holding(draw.floats(3, 4))
                .agrees(engine, CLOSE);
    }

    @Test
    void sumsBeforeActivations() {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3, -1}, 1, 1, 4);
        Tensor bias = Tensor.copyOf(new float[] {1, 0, -3, 1}, 4);
        Tensor halves = OneOperator.contributed("BiasSplitGelu").on(x, bias).run(engine);
        assertThat(halves.shape()).isEqualTo(Shape.of(1, 1, 2));
        assertThat(halves.floats()).containsExactly(0, 0);
        Tensor sum = OneOperator.contributed("BiasAdd").on(x, bias, x).run(engine);
        assertThat(sum.floats()).containsExactly(3, 4, 3, -1);
        Tensor kept = OneOperator.contributed("BiasDropout").on(x, bias, x).run(engine);
        assertThat(kept.floats()).containsExactly(3, 4, 3, -1);
        Tensor shares = OneOperator.contributed("BiasSoftmax")
                .with("axis", 1)
                .with("is_inner_broadcast", 1)
                .on(Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 2, 2), Tensor.copyOf(new float[] {3, 2, 1, 0}, 1, 2, 2))
                .run(engine);
        assertThat(shares.floats()).containsOnly(0.25f);
    }

    @Test
    void whatIsKeptAsBits() {
        Tensor x = draw.floats(5, 7);
        Tensor bias = draw.floats(7);
        Tensor all = Draw.zeros(ElementType.UINT32, 2);
        Elements.setLong(ElementType.UINT32, all.segment(), 0, 0xFFFFFFFFL);
        Elements.setLong(ElementType.UINT32, all.segment(), 1, 7);
        OneOperator.contributed("BitmaskDropout").outputs(2).on(x).gives(engine, 0, x, all);
        OneOperator.contributed("BitmaskBiasDropout").outputs(2).on(x, bias, x).gives(engine, 0, sum(x, bias), all);
    }

    /** Returns twice some rows, plus a bias. */
    private static Tensor sum(Tensor x, Tensor bias) {
        float[] sum = x.floats();
        for (int i = 0; i < sum.length; i++) {
            sum[i] += bias.floats()[i % bias.floats().length] + x.floats()[i];
        }
        return Tensor.copyOf(sum, x.shape().toArray());
    }

    @Test
    void samplesAreWhatTheyAre() throws Exception {
        OneOperator.contributed("SampleOp").on(draw.floats(3, 4)).agrees(engine, 0);
    }

    @Test
    void groupsOfChannelsThatComeLast() {
        Tensor x = Tensor.copyOf(new float[] {1, 3, 5, 9, 3, 5, 9, 5}, 1, 1, 2, 4);
        Tensor ones = Draw.filled(ElementType.FLOAT, 1, 4);
        Tensor zeros = Draw.zeros(ElementType.FLOAT, 4);
        Tensor groups = OneOperator.contributed("GroupNorm")
                .with("groups", 2)
                .with("activation", 0)
                .with("epsilon", 0f)
                .on(x, ones, zeros)
                .run(engine);
        float two = (float) Math.sqrt(2);
        assertThat(groups.floats()).containsExactly(new float[] {-two, 0, -1, 1, 0, two, 1, -1}, offset());
    }

    private static Offset<Float> offset() {
        return within(1e-5f);
    }

    @Test
    void convolutionsWithChannelsLast() {
        Tensor y = OneOperator.contributed("NhwcFusedConv")
                .with("activation", "Relu")
                .on(Tensor.copyOf(new float[] {1, 2, 3, -9}, 1, 1, 2, 2), Tensor.copyOf(new float[] {1, 1}, 1, 2, 1, 1))
                .run(engine);
        assertThat(y.shape()).isEqualTo(Shape.of(1, 1, 2, 1));
        assertThat(y.floats()).containsExactly(3, 0);
    }

    @Test
    void activationsThatNobodyKnowsAreRefusedByName() {
        OneOperator gemm = OneOperator.contributed("FusedGemm")
                .with("activation", "Wobble")
                .on(draw.floats(5, 7), draw.floats(7, 6));
        assertThatThrownBy(() -> gemm.run(engine)).hasMessageContaining("activation 'Wobble'");
    }

    @Test
    void convolutionsWithChannelsLastAndNothingElse() {
        Tensor y = OneOperator.contributed("NhwcConv")
                .on(
                        Tensor.copyOf(new float[] {1, 2, 3, -9}, 1, 1, 2, 2),
                        Tensor.copyOf(new float[] {1, 10}, 1, 2, 1, 1))
                .run(engine);
        assertThat(y.shape()).isEqualTo(Shape.of(1, 1, 2, 1));
        assertThat(y.floats()).containsExactly(21, -87);
    }

    @Test
    void groupsOfASum() {
        Tensor x = Tensor.copyOf(new float[] {1, 0, 0, 3}, 1, 1, 2, 2);
        Tensor skip = Tensor.copyOf(new float[] {0, 2, 2, 1}, 1, 1, 2, 2);
        Tensor y = OneOperator.contributed("SkipGroupNorm")
                .with("groups", 1)
                .with("activation", 0)
                .with("epsilon", 0f)
                .outputs(2)
                .on(x, Tensor.copyOf(new float[] {1, 2}, 2), Tensor.copyOf(new float[] {0, 1}, 2), skip)
                .on(Tensor.copyOf(new float[] {0, 1}, 2))
                .run(engine);
        // the standard deviation of 1, 3, 2 and 5
        float deviation = (float) Math.sqrt(35 / 16.0);
        assertThat(y.floats())
                .containsExactly(
                        new float[] {-1.75f / deviation, 1 + 0.5f / deviation, -0.75f / deviation, 1 + 4.5f / deviation
                        },
                        offset());
    }

    @Test
    void productsWithMatricesThatWereSparse() {
        Tensor product = OneOperator.contributed("SparseToDenseMatMul")
                .with("alpha", 2f)
                .with("transA", 1)
                .holding(Tensor.copyOf(new float[] {0, 3, 1, 0}, 2, 2))
                .on(Tensor.copyOf(new float[] {1, 2, 4, 8}, 2, 2))
                .run(engine);
        assertThat(product.floats()).containsExactly(8, 16, 6, 12);
    }

    @Test
    void imagesLessTheirMeanAsTheyWereAtFirst() throws Exception {
        for (long together : new long[] {0, 1}) {
            for (long divided : new long[] {0, 1}) {
                OneOperator.onnx("MeanVarianceNormalization", 8)
                        .with("across_channels", together)
                        .with("normalize_variance", divided)
                        .on(draw.floats(2, 3, 4, 5))
                        .agrees(engine, CLOSE);
            }
        }
    }

    /** One provider has to run all of it. */
    @ParameterizedTest
    @ValueSource(strings = {"simd", "cpu"})
    void convolutionsOfWhatWasBefore(String provider) {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3}, 1, 1, 3);
        Tensor weights = Tensor.copyOf(new float[] {10, 1}, 1, 1, 2);
        Tensor past = Tensor.copyOf(new float[] {4}, 1, 1, 1);
        Tensor y = OneOperator.onnx("CausalConvWithState", 27)
                .outputs(2)
                .on(x)
                .holding(weights)
                .on(null, past)
                .run(engine, provider);
        assertThat(y.floats()).containsExactly(41, 12, 23);
        Tensor fresh = OneOperator.onnx("CausalConvWithState", 27)
                .with("activation", "silu")
                .outputs(2)
                .on(x)
                .holding(weights)
                .run(engine, provider);
        assertThat(fresh.floats()[0]).isEqualTo((float) (1 / (1 + Math.exp(-1))), offset());
    }
}
