package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Values at the ends of what types hold, and what is left out. */
@Tag("reference")
class EdgesTest {
    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(76);

    private static Tensor unsigned(long... values) {
        return Tensor.wrap(
                ElementType.UINT64,
                Shape.of(values.length),
                Tensor.copyOf(values, values.length).segment());
    }

    @Test
    void largeNumbersWithoutASign() {
        Tensor x = unsigned(0, 3, -1, Long.MIN_VALUE);
        assertThat(bits(OneOperator.onnx("Abs", 13).on(x))).containsExactly(0, 3, -1, Long.MIN_VALUE);
        assertThat(bits(OneOperator.onnx("Sign", 13).on(x))).containsExactly(0, 1, 1, 1);
        OneOperator shrink =
                OneOperator.onnx("Shrink", 9).with("lambd", 1f).with("bias", 0f).on(x);
        assertThat(bits(shrink)).containsExactly(0, 3, -1, Long.MIN_VALUE);
    }

    private long[] bits(OneOperator one) {
        Tensor result = one.run(engine);
        return Tensor.wrap(ElementType.INT64, result.shape(), result.segment()).longs();
    }

    @Test
    void stridesBeyondWhatKernelsCountAreNamed() {
        Tensor x = Tensor.copyOf(new float[16], 1, 1, 4, 4);
        long[] wide = {1L << 31, 1L << 31};
        OneOperator pool = OneOperator.onnx("MaxPool", 12)
                .with("kernel_shape", Attribute.of(new long[] {2, 2}))
                .with("strides", Attribute.of(wide))
                .on(x);
        OneOperator conv = OneOperator.onnx("Conv", 11)
                .with("strides", Attribute.of(wide))
                .on(x, Tensor.copyOf(new float[4], 1, 1, 2, 2));
        for (OneOperator one : new OneOperator[] {pool, conv}) {
            assertThatThrownBy(() -> one.run(engine, "simd", "cpu"))
                    .hasMessageContaining("2147483648 steps of a window");
        }
    }

    @Test
    void slopesThatAreNoNumbersOfWhatIsPositive() throws Exception {
        Tensor x = Tensor.copyOf(new float[] {1, -1, 0, Float.NaN, 2, -2}, 6);
        Tensor slopes = Tensor.copyOf(
                new float[] {Float.NaN, Float.NaN, Float.POSITIVE_INFINITY, 1, Float.NEGATIVE_INFINITY, 3}, 6);
        OneOperator.onnx("PRelu", 16).on(x, slopes).agrees(engine, 0);
    }

    @Test
    void powersOfOne() throws Exception {
        float[] bases = {1, 1, 1, -1, -1, -1, 2};
        float[] exponents = {
            Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, 3, 4, 0
        };
        OneOperator.onnx("Pow", 15)
                .on(Tensor.copyOf(bases, 7), Tensor.copyOf(exponents, 7))
                .agrees(engine, 0);
    }

    @Test
    void inverseHyperbolicSinesOfInfinities() {
        double infinity = Double.POSITIVE_INFINITY;
        Tensor x = Tensor.copyOf(new double[] {infinity, -infinity, 1e200, -1e-300, Double.NaN}, 5);
        Tensor y = OneOperator.onnx("Asinh", 22).on(x).run(engine);
        assertThat(y.doubles())
                .containsExactly(infinity, -infinity, Math.log(2) + Math.log(1e200), -1e-300, Double.NaN);
        Tensor floats = Tensor.copyOf(new float[] {Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY}, 2);
        assertThat(OneOperator.onnx("Asinh", 22).on(floats).run(engine).floats())
                .containsExactly(Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
    }

    @Test
    void sumsOfExponentialsOfIntegers() {
        for (ElementType type : new ElementType[] {ElementType.INT32, ElementType.INT64}) {
            Tensor one = Draw.filled(type, -2, 1);
            assertThat(OneOperator.numbers(
                            OneOperator.onnx("ReduceLogSumExp", 18).on(one).run(engine)))
                    .containsExactly(-2);
            Tensor three = Draw.filled(type, 5, 3);
            assertThat(OneOperator.numbers(
                            OneOperator.onnx("ReduceLogSumExp", 18).on(three).run(engine)))
                    .containsExactly((long) (5 + Math.log(3)));
        }
    }

    @Test
    void normsBehindSkipsHaveATinyEpsilon() throws Exception {
        Tensor small = Draw.filled(ElementType.FLOAT, 1e-4, 2, 3, 8);
        Tensor skip = Tensor.copyOf(draw.floats(2, 3, 8));
        for (long i = 0; i < skip.elements(); i++) {
            skip.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (1e-4 * Math.sin(i)));
        }
        for (String name : new String[] {"SkipLayerNormalization", "SkipSimplifiedLayerNormalization"}) {
            OneOperator.contributed(name)
                    .on(small, skip)
                    .holding(draw.floats(8))
                    .agrees(engine, 1e-3);
        }
    }

    @Test
    void nothingIsResized() throws Exception {
        OneOperator.onnx("Resize", 10)
                .with("mode", "linear")
                .on(draw.floats(1, 1, 2, 2))
                .holding(Tensor.copyOf(new float[] {1, 1, 0.3f, 1}, 4))
                .agrees(engine, 0);
    }

    @Test
    void placesOfWholeElementsAreRoundedAsInOnnxRuntime() throws Exception {
        Tensor x = Tensor.copyOf(new float[] {0, 1, 2, 3, 4, 5, 6}, 7);
        nearestBelow(x, 9).agrees(engine, 0);
        for (String provider : new String[] {"cpu", "simd"}) {
            assertThat(nearestBelow(x, 9).run(engine, provider).floats()).containsExactly(0, 0, 1, 2, 3, 3, 4, 5, 6);
            assertThat(nearestBelow(x, 1).run(engine, provider).floats()).containsExactly(2);
        }
    }

    private static OneOperator nearestBelow(Tensor x, long size) {
        return OneOperator.onnx("Resize", 18)
                .with("mode", "nearest")
                .with("nearest_mode", "floor")
                .on(x, null, null)
                .holding(Tensor.copyOf(new long[] {size}, 1));
    }

    @Test
    void whatALeakScalesIsNegativeAlone() throws Exception {
        Tensor x = Tensor.copyOf(new float[] {-1, 0, 2}, 3);
        for (String provider : new String[] {"cpu", "simd"}) {
            Tensor y = OneOperator.onnx("LeakyRelu", 16)
                    .with("alpha", Float.POSITIVE_INFINITY)
                    .on(x)
                    .run(engine, provider);
            assertThat(y.floats()).containsExactly(Float.NEGATIVE_INFINITY, 0, 2);
        }
    }

    @Test
    void signalsOfTwoAxes() throws Exception {
        OneOperator.onnx("STFT", 17)
                .on(draw.floats(2, 16))
                .holding(Draw.one(ElementType.INT64, 4), draw.floats(8))
                .agrees(engine, 1e-4);
    }

    @Test
    void tailsOfTheErrorFunction() throws Exception {
        Tensor x = Tensor.copyOf(new float[] {-9, -20, -62.8f, -1e10f, 62.8f}, 5);
        OneOperator.onnx("Gelu", 20).on(x).agrees(engine, 1e-12);
        OneOperator.onnx("Erf", 13).on(x).agrees(engine, 0);
    }

    @Test
    void featuresOfSeveralAxesAreOneRow() throws Exception {
        OneOperator.ml("FeatureVectorizer")
                .list("inputdimensions", 4, 2)
                .on(draw.floats(2, 2, 2), draw.floats(2, 2))
                .agrees(engine, 0);
    }

    @Test
    void sequencesThatAreLongerThanTheirStepsAreRefused() {
        for (int length : new int[] {-1, 4}) {
            for (String provider : new String[] {"cpu", "simd"}) {
                OneOperator lstm = OneOperator.onnx("LSTM", 14)
                        .with("hidden_size", 3)
                        .on(draw.floats(3, 1, 2))
                        .holding(draw.floats(1, 12, 2), draw.floats(1, 12, 3))
                        .on(null, Tensor.copyOf(new int[] {length}, 1));
                assertThatThrownBy(() -> lstm.run(engine, provider))
                        .hasMessageContaining("sequence 0 has the length " + length + " where 0 to 3 is expected");
            }
        }
    }

    @Test
    void aBatchNormOfOneChannelHasItsNumbersAtOnce() throws Exception {
        for (int i = 0; i < 20; i++) {
            OneOperator.onnx("BatchNormalization", 15)
                    .on(draw.floats(2, 1, 3))
                    .holding(draw.floats(1), draw.floats(1), draw.floats(1), draw.scales(1))
                    .agrees(engine, 1e-4);
        }
    }

    @Test
    void manyEqualNumbersAreNormalisedToZeros() {
        for (float number : new float[] {1000.1f, 3e38f}) {
            Tensor x = Draw.filled(ElementType.FLOAT, number, 1, 1, 48);
            float[] zeros = new float[48];
            Tensor row = Tensor.copyOf(zeros, 1, 1, 48);
            Tensor scale = Draw.filled(ElementType.FLOAT, 1, 48);
            OneOperator.onnx("LayerNormalization", 17).on(x).holding(scale).gives(engine, 0, row);
            OneOperator.onnx("InstanceNormalization", 6)
                    .on(x)
                    .holding(Draw.filled(ElementType.FLOAT, 1, 1), Draw.filled(ElementType.FLOAT, 0, 1))
                    .gives(engine, 0, row);
        }
        Tensor image = Draw.filled(ElementType.FLOAT, 3.3, 1, 1, 1, 40);
        OneOperator.onnx("MeanVarianceNormalization", 13)
                .on(image)
                .gives(engine, 0, Draw.filled(ElementType.FLOAT, 0, 1, 1, 1, 40));
    }

    @Test
    void placesAmongNaNsAreThoseOfNumbers() {
        float nan = Float.NaN;
        Tensor one = Tensor.copyOf(new float[] {nan, Float.NEGATIVE_INFINITY, nan}, 3);
        Tensor none = Tensor.copyOf(new float[] {nan, nan, nan}, 3);
        for (long last : new long[] {0, 1}) {
            greatest(one, last).gives(engine, 0, longs(1));
            greatest(none, last).gives(engine, 0, longs(2 * last));
        }
    }

    private static OneOperator greatest(Tensor x, long last) {
        return OneOperator.onnx("ArgMax", 13).with("select_last_index", last).on(x);
    }

    @Test
    void theLargestStepBackwardsTakesOneElement() {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3}, 3);
        OneOperator.onnx("Slice", 13)
                .on(x)
                .holding(longs(2), longs(Long.MIN_VALUE), longs(0), longs(Long.MIN_VALUE))
                .gives(engine, 0, Tensor.copyOf(new float[] {3}, 1));
        OneOperator.onnx("Slice", 13)
                .on(x, longs(2), longs(Long.MIN_VALUE), longs(0), longs(Long.MIN_VALUE))
                .gives(engine, 0, Tensor.copyOf(new float[] {3}, 1));
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    @Test
    void tensorsBeyondAnyMemoryAreNamed() {
        for (String providers : new String[] {"cpu", "simd cpu"}) {
            OneOperator large = OneOperator.onnx("Expand", 13)
                    .on(Tensor.copyOf(new double[] {1}, 1), Tensor.copyOf(new long[] {1L << 61}, 1));
            assertThatThrownBy(() -> large.run(engine, providers.split(" ")))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("Expand")
                    .hasMessageContaining("there is no memory for 2305843009213693952 elements of type double");
        }
    }

    @Test
    void slicesBackwardsBeginAtAnIndexThatIsThere() throws Exception {
        for (long start : new long[] {-9, -4, -3, 0, 2, 9}) {
            for (long end : new long[] {-9, -2, 0, 9}) {
                OneOperator slice = OneOperator.onnx("Slice", 13).on(draw.floats(3, 2));
                slice.on(Tensor.copyOf(new long[] {start}, 1), Tensor.copyOf(new long[] {end}, 1))
                        .holding(Tensor.copyOf(new long[] {0}, 1), Tensor.copyOf(new long[] {-2}, 1))
                        .agrees(engine, 0);
            }
        }
    }
}
