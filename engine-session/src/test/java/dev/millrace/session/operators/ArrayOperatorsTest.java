package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Operators that ONNX has under another name, or had as experiments, and others that move and look up elements. */
@Tag("reference")
class ArrayOperatorsTest {
    private static final double CLOSE = 1e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(74);

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    @Test
    void imagesAreScaledAndCropped() throws Exception {
        OneOperator.onnx("ImageScaler", 9)
                .with("scale", 0.5f)
                .reals("bias", 1, 2, -3)
                .on(draw.floats(2, 3, 4, 5))
                .agrees(engine, CLOSE);
        Tensor scaled = OneOperator.onnx("ImageScaler", 9)
                .with("scale", 2f)
                .reals("bias", 1, -1)
                .on(Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 2, 1, 2))
                .run(engine);
        assertThat(scaled.floats()).containsExactly(3, 5, 5, 7);
        OneOperator.onnx("Crop", 9)
                .list("border", 1, 2, 0, 1)
                .on(draw.floats(2, 3, 6, 5))
                .agrees(engine, 0);
        OneOperator.onnx("Crop", 9)
                .list("border", 1, 2, 0, 1)
                .list("scale", 3, 2)
                .on(draw.floats(2, 3, 6, 5))
                .agrees(engine, 0);
    }

    @Test
    void earlyActivations() throws Exception {
        Tensor x = draw.floats(3, 7);
        OneOperator.onnx("ParametricSoftplus", 9)
                .with("alpha", 2f)
                .with("beta", 0.5f)
                .on(x)
                .agrees(engine, CLOSE);
        OneOperator.onnx("ScaledTanh", 9)
                .with("alpha", 2f)
                .with("beta", 0.5f)
                .on(x)
                .agrees(engine, CLOSE);
        OneOperator.onnx("Affine", 9).with("alpha", 2f).with("beta", 0.5f).on(x).agrees(engine, CLOSE);
        OneOperator.onnx("ThresholdedRelu", 9).with("alpha", 0.5f).on(x).agrees(engine, CLOSE);
        OneOperator.onnx("DynamicSlice", 9)
                .on(x, longs(1, 2), longs(3, 6), longs(0, 1))
                .agrees(engine, 0);
    }

    @Test
    void otherNames() throws Exception {
        Tensor x = draw.floats(3, 7);
        OneOperator.contributed("ExpandDims")
                .on(x)
                .holding(Draw.one(ElementType.INT32, 1))
                .agrees(engine, 0);
        OneOperator.contributed("ExpandDims")
                .on(x)
                .holding(Draw.one(ElementType.INT32, -1))
                .agrees(engine, 0);
        OneOperator.contributed("Trilu").with("upper", 0).on(x).agrees(engine, 0);
        OneOperator.contributed("GatherND")
                .on(x, Tensor.copyOf(new int[] {0, 2, 1, 6}, 2, 2))
                .agrees(engine, 0);
        OneOperator.contributed("Pad")
                .on(x, longs(1, 0, 0, 2), Tensor.copyOf(new float[] {3}, 1))
                .agrees(engine, 0);
        OneOperator.contributed("Pad")
                .with("mode", "reflect")
                .on(x, Tensor.copyOf(new long[] {1, 0, 0, 2}, 1, 4))
                .agrees(engine, 0);
        OneOperator.contributed("Range")
                .on(Draw.scale(1), Draw.scale(4), Draw.scale(0.5))
                .agrees(engine, CLOSE);
        OneOperator.contributed("Range")
                .on(Draw.one(ElementType.INT32, 1), Draw.one(ElementType.INT32, 4))
                .agrees(engine, 0);
        OneOperator.contributed("Unique")
                .outputs(3)
                .on(Tensor.copyOf(new float[] {2, 1, 1, 3, 4, 3}, 6))
                .agrees(engine, 0);
        Tensor embedded = OneOperator.contributed("TorchEmbedding")
                .on(Tensor.copyOf(new float[] {1, 2, 3, 4}, 2, 2), longs(1, 0, 1))
                .run(engine);
        assertThat(embedded.floats()).containsExactly(3, 4, 1, 2, 3, 4);
    }

    @Test
    void productsAndSumsOfSmallIntegers() throws Exception {
        Tensor a = Tensor.copyOf(new byte[] {1, 2, 3, -4}, 4);
        Tensor product = OneOperator.contributed("MulInteger")
                .on(a, Draw.one(ElementType.INT8, 1), a, null)
                .run(engine);
        assertThat(product.ints()).containsExactly(0, 2, 6, 20);
        Tensor sum = OneOperator.contributed("ReduceSumInteger")
                .list("axes", 0)
                .with("keepdims", 0)
                .on(a)
                .run(engine);
        assertThat(sum.ints()).containsExactly(2);
    }

    @Test
    void inverses() throws Exception {
        Tensor turned = OneOperator.contributed("Inverse")
                .on(Tensor.copyOf(new float[] {0, 2, 1, 0}, 2, 2))
                .run(engine);
        assertThat(turned.floats()).containsExactly(0, 1, 0.5f, 0);
        OneOperator.contributed("Inverse").on(draw.floats(3, 3)).agrees(engine, 1e-3);
        OneOperator.contributed("Inverse").on(draw.floats(2, 3, 5, 5)).agrees(engine, 1e-3);
        OneOperator.contributed("Inverse")
                .on(draw.reals(ElementType.DOUBLE, 2, 4, 4))
                .agrees(engine, 1e-9);
    }

    @Test
    void spectraThereAndBack() {
        Tensor signal = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 4);
        Tensor spectrum = OneOperator.contributed("Rfft")
                .with("signal_ndim", 1)
                .on(signal)
                .run(engine);
        assertThat(spectrum.shape()).isEqualTo(Shape.of(1, 3, 2));
        assertThat(spectrum.floats()).containsExactly(new float[] {10, 0, -2, 2, -2, 0}, offset());
        Tensor back = OneOperator.contributed("Irfft")
                .with("signal_ndim", 1)
                .on(spectrum)
                .run(engine);
        assertThat(back.shape()).isEqualTo(Shape.of(1, 4));
        assertThat(back.floats()).containsExactly(signal.floats(), offset());
    }

    private static Offset<Float> offset() {
        return within(1e-5f);
    }

    @Test
    void padsOfTransposedConvolutions() throws Exception {
        Tensor x = draw.floats(1, 2, 4, 5);
        Tensor w = draw.floats(2, 3, 3, 3);
        OneOperator.contributed("ConvTransposeWithDynamicPads")
                .list("strides", 2, 1)
                .on(x)
                .holding(w)
                .on(longs(1, 0, 0, 1))
                .agrees(engine, CLOSE);
        OneOperator.contributed("ConvTransposeWithDynamicPads")
                .list("strides", 2, 1)
                .on(x)
                .holding(w, longs(1, 0, 0, 1), draw.floats(3))
                .agrees(engine, CLOSE);
    }

    @Test
    void rowsOfTablesInBlocks() throws Exception {
        for (ElementType type : new ElementType[] {ElementType.INT4, ElementType.UINT4}) {
            for (boolean zeros : new boolean[] {false, true}) {
                OneOperator gather = OneOperator.contributed("GatherBlockQuantized")
                        .with("block_size", 16)
                        .with("gather_axis", 0)
                        .with("quantize_axis", 1)
                        .holding(draw.whole(type, 6, 40))
                        .on(Tensor.copyOf(new long[] {5, 0, -1, 2}, 2, 2))
                        .holding(draw.scales(6, 3));
                (zeros ? gather.holding(draw.whole(type, 6, 3)) : gather).agrees(engine, 1e-6);
            }
            OneOperator.contributed("GatherBlockQuantized")
                    .with("block_size", 16)
                    .with("gather_axis", 1)
                    .with("quantize_axis", 0)
                    .holding(draw.whole(type, 20, 6))
                    .on(longs(5, 0))
                    .holding(draw.scales(2, 6))
                    .agrees(engine, 1e-6);
        }
        OneOperator.contributed("GatherBlockQuantized")
                .with("block_size", 16)
                .with("bits", 4)
                .holding(draw.whole(ElementType.UINT8, 6, 16))
                .on(longs(5, 0))
                .holding(draw.scales(6, 2))
                .agrees(engine, 1e-6);
    }

    @Test
    void boxesOfImages() throws Exception {
        Tensor rois = Tensor.copyOf(new float[] {0, 0, 1, 1, 0.1f, 0.2f, 0.8f, 0.7f, -0.3f, 0.5f, 1.4f, 0.2f}, 3, 4);
        for (String mode : new String[] {"bilinear", "nearest"}) {
            for (int[] size : new int[][] {{3, 4}, {1, 1}}) {
                OneOperator.contributed("CropAndResize")
                        .with("mode", mode)
                        .with("extrapolation_value", 7f)
                        .on(draw.floats(2, 3, 8, 6), rois, Tensor.copyOf(new int[] {0, 1, 0}, 3))
                        .holding(Tensor.copyOf(size, 2))
                        .agrees(engine, CLOSE);
            }
        }
    }

    @Test
    void hashes() throws Exception {
        Tensor[] keys = {
            Tensor.copyOf(new int[] {3, -4}, 2),
            Tensor.copyOf(new long[] {3, 1L << 40}, 2),
            Tensor.copyOf(new float[] {3, -0.5f}, 2),
            Tensor.copyOf(new double[] {3, 1e200}, 2),
            Tensor.ofStrings(Shape.of(4), "foo", "", "larger one", "äöü€")
        };
        for (Tensor key : keys) {
            for (long seed : new long[] {0, 42}) {
                OneOperator.contributed("MurmurHash3")
                        .with("positive", 0)
                        .with("seed", seed)
                        .on(key)
                        .agrees(engine, 0);
                OneOperator.contributed("MurmurHash3")
                        .with("seed", seed)
                        .castTo(ElementType.INT64)
                        .on(key)
                        .agrees(engine, 0);
            }
        }
    }

    @Test
    void sequencesThatWouldRepeat() throws Exception {
        Tensor words = Tensor.copyOf(new long[] {0, 1, 2, 0, 1, 3, 3, 3, 3, 3}, 2, 5);
        for (long size : new long[] {1, 2, 3}) {
            OneOperator.contributed("NGramRepeatBlock")
                    .with("ngram_size", size)
                    .on(words, draw.floats(2, 6))
                    .agrees(engine, 0);
        }
    }

    @Test
    void distancesOfRows() throws Exception {
        Tensor far = OneOperator.contributed("CDist")
                .with("metric", "euclidean")
                .on(Tensor.copyOf(new float[] {0, 0}, 1, 2), Tensor.copyOf(new float[] {3, 4, 0, 1}, 2, 2))
                .run(engine);
        assertThat(far.floats()).containsExactly(5, 1);
        for (String metric : new String[] {"euclidean", "sqeuclidean"}) {
            OneOperator.contributed("CDist")
                    .with("metric", metric)
                    .on(draw.floats(4, 6), draw.floats(3, 6))
                    .agrees(engine, 1e-4);
        }
    }

    @Test
    void deformedConvolutions() throws Exception {
        OneOperator.onnx("DeformConv", 19)
                .list("pads", 1, 0, 1, 2)
                .list("strides", 2, 1)
                .list("dilations", 1, 2)
                .with("group", 2L)
                .with("offset_group", 3L)
                .on(
                        draw.floats(2, 6, 9, 11),
                        draw.floats(8, 3, 3, 2),
                        draw.floats(2, 36, 5, 11),
                        draw.floats(8),
                        draw.scales(2, 18, 5, 11))
                .agrees(engine, 1e-5);
        // ONNX Runtime's places are floats, whose last digit is 4e-6 at 40
        OneOperator.onnx("DeformConv", 19)
                .on(draw.floats(3, 2, 40, 41), draw.floats(5, 2, 3, 3), draw.floats(3, 18, 38, 39))
                .agrees(engine, 1e-4);
    }

    @Test
    void pointsOfManyChannels() throws Exception {
        for (String padding : new String[] {"zeros", "border", "reflection"}) {
            for (long aligned = 0; aligned < 2; aligned++) {
                OneOperator.onnx("GridSample", 16)
                        .with("padding_mode", padding)
                        .with("align_corners", aligned)
                        .on(draw.floats(2, 5, 12, 10), draw.floats(2, 15, 9, 2))
                        .agrees(engine, 1e-4);
            }
        }
    }
}
