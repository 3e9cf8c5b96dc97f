package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import ai.onnxruntime.OrtException;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators of com.microsoft on their own: texts, windows, complex numbers, small floats. */
@Tag("reference")
class ContributedOperatorsTest {
    private static final double CLOSE = 1e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(93);

    private static OneOperator tokenizer(Tensor texts, int least, int marks) {
        return OneOperator.contributed("Tokenizer")
                .with("mark", marks)
                .with("mincharnum", least)
                .with("pad_value", "#")
                .on(texts);
    }

    private static Attribute separators(String... separators) {
        return new Attribute.Strings(Arrays.stream(separators)
                .map(text -> new Attribute.Bytes(text.getBytes(StandardCharsets.UTF_8)))
                .toList());
    }

    private static Tensor texts(String... texts) {
        return Tensor.ofStrings(Shape.of(texts.length), texts);
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", " +", "[,;] ?", "é", "x*", ""})
    void textsAreSplitAsInOnnxRuntime(String separator) throws Exception {
        Tensor texts = texts("I love computer science !", "", " a,b; c", "élan né 東京x", "xx");
        for (int marks = 0; marks <= 1; marks++) {
            tokenizer(texts, 1, marks).with("separators", separators(separator)).agrees(engine, 0);
        }
        tokenizer(texts, 2, 0).with("separators", separators(" ", "[,;]")).agrees(engine, 0);
        tokenizer(texts(), 1, 1).with("separators", separators(" ")).agrees(engine, 0);
        tokenizer(texts("", ""), 1, 1).with("separators", separators(" ")).agrees(engine, 0);
    }

    @ParameterizedTest
    @ValueSource(strings = {".", "[a-z]+", "\\w", "[A-Z]?[a-z]{2}", "a*"})
    void piecesAreFoundAsInOnnxRuntime(String token) throws Exception {
        Tensor texts = Tensor.ofStrings(Shape.of(2, 2), new String[] {"Hello World", "aab, ab", "", "12"});
        tokenizer(texts, 1, 1).with("tokenexp", token).agrees(engine, 0);
        if (!token.equals(".")) {
            tokenizer(texts, 2, 0).with("tokenexp", token).agrees(engine, 0);
        }
    }

    @Test
    void aTokenizerThatDoesNotSayWhatATokenIsIsRefused() {
        assertThatThrownBy(() -> tokenizer(texts("a"), 1, 0).run(engine))
                .hasMessageContaining("do not say what a token is");
        assertThatThrownBy(
                        () -> tokenizer(texts("a"), 1, 0).with("tokenexp", "(").run(engine))
                .hasMessageContaining("pattern '('");
    }

    @Test
    void theCheapestWayThroughAMatrix() throws Exception {
        Tensor way = OneOperator.contributed("DynamicTimeWarping")
                .on(Tensor.copyOf(new float[] {1, 9, 9, 1, 1, 9, 9, 9, 1}, 3, 3))
                .run(engine);
        assertThat(way.ints()).containsExactly(0, 1, 2, 0, 1, 2);
        OneOperator.contributed("DynamicTimeWarping").on(draw.floats(1, 9, 13)).agrees(engine, 0);
        OneOperator.contributed("DynamicTimeWarping").on(draw.floats(12, 5)).agrees(engine, 0);
        OneOperator.contributed("DynamicTimeWarping")
                .on(Draw.zeros(ElementType.FLOAT, 4, 6))
                .agrees(engine, 0);
    }

    @Test
    void windowsOverAnAxis() throws Exception {
        for (long axis = -1; axis < 3; axis++) {
            OneOperator.contributed("UnfoldTensor")
                    .with("dim", axis)
                    .with("size", 3)
                    .with("step", 2)
                    .on(draw.floats(5, 6, 7))
                    .agrees(engine, 0);
        }
        assertThatThrownBy(() -> OneOperator.contributed("UnfoldTensor")
                        .with("size", 9)
                        .on(draw.floats(5, 6))
                        .run(engine))
                .hasMessageContaining("windows of 9");
    }

    @Test
    void complexNumbersAreMultiplied() {
        Tensor a = Tensor.copyOf(new float[] {1, 2, 3, -1}, 2, 1, 2);
        Tensor b = Tensor.copyOf(new float[] {3, 4, 0, 1}, 2, 2);
        // (1 + 2i)(3 + 4i) and so on, then with what is right mirrored
        OneOperator.contributed("ComplexMul")
                .on(a, b)
                .gives(engine, 0, Tensor.copyOf(new float[] {-5, 10, -2, 1, 13, 9, 1, 3}, 2, 2, 2));
        OneOperator.contributed("ComplexMulConj")
                .on(a, b)
                .gives(engine, 0, Tensor.copyOf(new float[] {11, 2, 2, -1, 5, -15, -1, -3}, 2, 2, 2));
    }

    private static Tensor truth(boolean value) {
        return Draw.filled(ElementType.BOOL, value ? 1 : 0);
    }

    @Test
    void numbersThatAreNoneAreFound() {
        Tensor fine = draw.floats(2, 3);
        Tensor infinite = Tensor.copyOf(new float[] {1, Float.NEGATIVE_INFINITY}, 2);
        Tensor none = Tensor.copyOf(new float[] {Float.NaN}, 1);
        OneOperator.contributed("IsAllFinite")
                .on(fine, Draw.zeros(ElementType.FLOAT, 0, 2))
                .gives(engine, 0, truth(true));
        OneOperator.contributed("IsAllFinite").on(fine, infinite).gives(engine, 0, truth(false));
        OneOperator.contributed("IsAllFinite").on(none, fine).gives(engine, 0, truth(false));
        OneOperator.contributed("IsAllFinite")
                .with("isnan_only", 1)
                .on(infinite)
                .gives(engine, 0, truth(true));
        OneOperator.contributed("IsAllFinite").with("isinf_only", 1).on(none).gives(engine, 0, truth(true));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void weightsOfATableOfSixteen(int kind) throws Exception {
        for (int block : new int[] {16, 32}) {
            OneOperator.contributed("MatMulBnb4")
                    .with("K", 24)
                    .with("N", 5)
                    .with("block_size", block)
                    .with("quant_type", kind)
                    .on(draw.floats(2, 3, 24))
                    .holding(draw.whole(ElementType.UINT8, 60), draw.scales((120 + block - 1) / block))
                    .agrees(engine, CLOSE);
        }
    }

    /** Blocks of 32 weights: a scale, a zero point where asked, and halves of bytes. */
    private Tensor packedBlocks(int blocks, boolean zeroPoints) {
        int size = zeroPoints ? 21 : 20;
        Tensor packed = draw.whole(ElementType.UINT8, (long) blocks * size);
        float[] scales = draw.scales(blocks).floats();
        for (int i = 0; i < blocks; i++) {
            packed.segment().set(ValueLayout.JAVA_FLOAT_UNALIGNED, (long) i * size, scales[i]);
            if (zeroPoints) {
                packed.segment().set(ValueLayout.JAVA_BYTE, (long) i * size + 4, (byte) (i % 16));
            }
        }
        return packed;
    }

    /** ONNX Runtime has this operator on some processors only. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void weightsInBlocksWithTheirScales(int kind) throws Exception {
        try {
            agreeOnBlocks(kind);
        } catch (OrtException e) {
            assumeFalse(String.valueOf(e.getMessage()).contains("hardware platform"), "ONNX Runtime lacks it here");
            throw e;
        }
    }

    private void agreeOnBlocks(int kind) throws OrtException {
        for (int inner : new int[] {32, 40, 7}) {
            Tensor weights = packedBlocks(5 * ((inner + 31) / 32), kind == 1);
            Tensor shape = Tensor.copyOf(new long[] {inner, 5}, 2);
            OneOperator.contributed("MatMulFpQ4")
                    .with("blk_quant_type", kind)
                    .on(draw.floats(2, 3, inner))
                    .holding(weights, shape)
                    .agrees(engine, 1e-4);
            OneOperator.contributed("MatMulFpQ4")
                    .with("blk_quant_type", kind)
                    .on(draw.floats(3, inner), weights, shape)
                    .agrees(engine, 1e-4);
        }
    }

    @Test
    void packedWeightsOfAnotherShapeAreRefused() {
        OneOperator product = OneOperator.contributed("MatMulFpQ4")
                .on(draw.floats(3, 33))
                .holding(packedBlocks(5, true), Tensor.copyOf(new long[] {33, 5}, 2));
        assertThatThrownBy(() -> product.run(engine)).isInstanceOf(EngineException.class);
    }

    @Test
    void productsOfWholeNumbersOf16Bits() {
        Tensor a = Draw.filled(ElementType.INT16, -30000, 1, 1);
        Tensor b = Draw.filled(ElementType.UINT16, 60000, 1, 1);
        OneOperator.contributed("MatMulInteger16")
                .on(a, b)
                .gives(engine, 0, Draw.filled(ElementType.INT32, -1800000000, 1, 1));
        OneOperator.contributed("MatMulInteger16")
                .on(b, b)
                .gives(engine, 0, Draw.filled(ElementType.UINT32, 3600000000L, 1, 1));
    }

    @Test
    void productsOfSmallFloats() {
        Tensor a = Draw.filled(ElementType.FLOAT8E4M3FN, 2, 1, 2);
        Tensor b = Draw.filled(ElementType.FLOAT8E4M3FN, -1.5, 3, 2);
        for (String activation : new String[] {"NONE", "RELU"}) {
            OneOperator.contributed("GemmFloat8")
                    .with("transB", 1)
                    .with("alpha", 0.5f)
                    .with("activation", activation)
                    .on(a, b, null, Draw.scale(4), Draw.scale(0.5))
                    .gives(engine, 0, Draw.filled(ElementType.FLOAT, activation.equals("RELU") ? 0 : -6, 1, 3));
        }
        OneOperator.contributed("GemmFloat8")
                .with("beta", 2f)
                .with("dtype", ElementType.FLOAT16.code())
                .on(
                        Draw.filled(ElementType.FLOAT, 2, 1, 2),
                        Draw.filled(ElementType.FLOAT, 3, 2, 1),
                        Draw.filled(ElementType.FLOAT, 1, 1))
                .gives(engine, 0, Draw.filled(ElementType.FLOAT16, 14, 1, 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bilinear", "nearest", "bicubic"})
    void imagesAreSampledAtPlaces(String mode) throws Exception {
        OneOperator.contributed("GridSample")
                .with("mode", mode)
                .with("padding_mode", "reflection")
                .on(draw.floats(2, 3, 5, 4), draw.floats(2, 3, 3, 2))
                .agrees(engine, 1e-4);
    }

    @Test
    void embeddingsOfBytesAreNormalised() throws Exception {
        ElementType bytes = ElementType.UINT8;
        Tensor words = Tensor.copyOf(new int[] {1, 3, 2, 0, 0, 1}, 2, 3);
        Tensor mask = Tensor.copyOf(new int[] {1, 1, 0, 1, 1, 1}, 2, 3);
        OneOperator.contributed("QEmbedLayerNormalization")
                .outputs(2)
                .on(words, Tensor.copyOf(new int[] {0, 0, 1, 0, 1, 1}, 2, 3))
                .holding(draw.whole(bytes, 4, 8), draw.whole(bytes, 5, 8), draw.whole(bytes, 2, 8))
                .holding(draw.whole(bytes, 8), draw.whole(bytes, 8))
                .on(mask)
                .holding(Draw.scale(0.02), Draw.scale(0.03), Draw.scale(0.01), Draw.scale(0.04), Draw.scale(0.02))
                .holding(
                        Draw.one(bytes, 128),
                        Draw.one(bytes, 120),
                        Draw.one(bytes, 110),
                        Draw.one(bytes, 4),
                        Draw.one(bytes, 90))
                .agrees(engine, 1e-4);
    }

    private OneOperator words(Tensor letters) {
        return OneOperator.contributed("WordConvEmbedding")
                .on(letters)
                .holding(draw.floats(6, 1, 3, 4), draw.floats(6), draw.floats(9, 4));
    }

    @Test
    void wordsByTheirLetters() throws Exception {
        Tensor letters =
                Tensor.copyOf(new int[] {3, 1, 2, 5, 8, 4, 7, 7, 0, 0, 0, 0, 2, 3, 4, 0, 0, 0, 1, 2, 3, 4, 5, 0}, 4, 6);
        words(letters).agrees(engine, CLOSE);
        words(letters)
                .with("embedding_size", 6)
                .with("conv_window_size", 3)
                .with("char_embedding_size", 4)
                .agrees(engine, CLOSE);
        OneOperator other = words(letters).with("conv_window_size", 2);
        assertThatThrownBy(() -> other.run(engine)).hasMessageContaining("WordConvEmbedding");
    }

    @Test
    void wordsWithoutLettersAreZeros() {
        Tensor found = words(Tensor.copyOf(new int[] {0, 1, 2, 5}, 1, 4)).run(engine);
        assertThat(found.floats()).containsOnly(0);
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    @Test
    void predictedWordsAreTakenOverUntilTheyAreNotTheSources() throws Exception {
        Tensor source = longs(2, 9, 4, 7, 9, 4, 5, 3);
        long[][] predictions = {
            {2, 9, 4, 7, 9, 4, 5, 3, 6},
            {2, 9, 4, 1, 9, 4, 5, 3, 6},
            {1, 9, 4, 7, 9, 4, 5, 3, 6},
            {2, 9, 5, 7, 9, 4, 5, 3, 6}
        };
        for (long[] predicted : predictions) {
            for (int least = 1; least < 3; least++) {
                OneOperator.contributed("BifurcationDetector")
                        .with("min_ngram_size", least)
                        .outputs(2)
                        .on(source, longs(8, 7), longs(0), longs(predicted))
                        .agrees(engine, 0);
            }
        }
        OneOperator.contributed("BifurcationDetector")
                .outputs(2)
                .on(source, longs(9, 4), longs(5), longs(4, 5, 3, 1))
                .agrees(engine, 0);
        for (long[] current : new long[][] {{7}, {9, 4}, {7, 9, 4}, {5, 3}, {1, 1}}) {
            OneOperator.contributed("BifurcationDetector")
                    .outputs(2)
                    .on(source, longs(current), longs(0))
                    .agrees(engine, 0);
        }
    }

    @Test
    void predictedWordsOfAnotherNumberAreRefused() {
        OneOperator few = OneOperator.contributed("BifurcationDetector")
                .outputs(2)
                .on(longs(1, 2), longs(3), longs(0), longs(1, 2));
        assertThatThrownBy(() -> few.run(engine)).hasMessageContaining("2 predicted words from place 0 of 2");
    }

    @Test
    void groupsOfNoWordsAreRefused() {
        Tensor words = Tensor.copyOf(new long[] {1, 2}, 2);
        OneOperator detector = OneOperator.contributed("BifurcationDetector")
                .with("min_ngram_size", -1)
                .outputs(2)
                .on(words, words, Tensor.scalar(0L));
        assertThatThrownBy(() -> detector.run(engine)).hasMessageContaining("min_ngram_size is -1; it is at least 1");
        OneOperator placeless =
                OneOperator.contributed("BifurcationDetector").outputs(2).on(words, words, longs(), words);
        assertThatThrownBy(() -> placeless.run(engine)).hasMessageContaining("where one number is expected");
    }

    private static Tensor seen(Tensor mask) {
        Elements.setLong(ElementType.INT32, mask.segment(), 0, 1);
        return mask;
    }

    @Test
    void windowsEndWhereAMaskHides() throws Exception {
        OneOperator.contributed("MaxpoolWithMask")
                .list("kernel_shape", 3)
                .list("strides", 2)
                .list("pads", 1, 1)
                .on(draw.floats(2, 3, 9), seen(draw.below(ElementType.INT32, 2, 1, 1, 9)))
                .agrees(engine, 0);
        OneOperator.contributed("MaxpoolWithMask")
                .list("kernel_shape", 2, 3)
                .with("auto_pad", "SAME_UPPER")
                .on(draw.floats(2, 3, 5, 7), seen(draw.below(ElementType.INT32, 3, 1, 1, 5, 7)))
                .agrees(engine, 0);
        OneOperator.contributed("MaxpoolWithMask")
                .list("kernel_shape", 2, 1, 2)
                .list("strides", 1, 2, 1)
                .on(draw.floats(1, 2, 3, 4, 5), seen(draw.below(ElementType.INT32, 2, 1, 1, 3, 4, 5)))
                .agrees(engine, 0);
    }

    @Test
    void eachChannelHasItsMask() {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7, 8}, 1, 2, 4);
        Tensor mask = Tensor.copyOf(new int[] {1, 0, 1, 1, 0, 0, 0, 1}, 1, 2, 4);
        OneOperator.contributed("MaxpoolWithMask")
                .list("kernel_shape", 2)
                .list("strides", 2)
                .on(x, mask)
                .gives(engine, 0, Tensor.copyOf(new float[] {1, 4, -Float.MAX_VALUE, -Float.MAX_VALUE}, 1, 2, 2));
    }

    @Test
    void aMaskOfAnotherShapeIsRefused() {
        OneOperator pool = OneOperator.contributed("MaxpoolWithMask")
                .list("kernel_shape", 2)
                .on(draw.floats(1, 2, 4), draw.below(ElementType.INT32, 2, 1, 1, 5));
        assertThatThrownBy(() -> pool.run(engine)).hasMessageContaining("MaxpoolWithMask");
    }
}
