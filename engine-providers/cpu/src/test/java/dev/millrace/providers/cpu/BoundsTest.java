package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.Arrays;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Extents that no memory holds, loops over nothing, and runs that are cancelled. */
@Timeout(60)
class BoundsTest {
    private static final long HUGE = 1L << 40;

    private static Tensor empty(long... dims) {
        return Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor floats(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static void isEmpty(OneNode one, long[] shape, @Nullable Datum... inputs) {
        assertThat(one.run(inputs).shape()).isEqualTo(Shape.of(shape));
        assertThat(new Planned(one, inputs).run().shape()).isEqualTo(Shape.of(shape));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1})
    void nothingIsComputedOfAnEmptyTensorHoweverLargeItsOtherExtentIs(long axis) {
        long[] dims = axis == 0 ? new long[] {0, HUGE} : new long[] {HUGE, 0};
        Tensor x = empty(dims);
        isEmpty(OneNode.onnx("CumSum", 14), dims, x, Tensor.scalar(axis));
        isEmpty(OneNode.onnx("CumSum", 14), dims, x, Tensor.scalar(1 - axis));
        isEmpty(OneNode.onnx("CumProd", 26), dims, x, Tensor.scalar(axis));
        isEmpty(OneNode.onnx("LpNormalization", 22).with("axis", axis), dims, x);
        isEmpty(OneNode.onnx("Softmax", 13).with("axis", 1 - axis), dims, x);
        isEmpty(OneNode.onnx("LRN", 13).with("size", 3), dims, x);
        isEmpty(OneNode.onnx("Trilu", 14), dims, x);
        isEmpty(OneNode.onnx("Relu", 14), dims, x);
        long[] gathered = axis == 0 ? new long[] {0, 2} : new long[] {2, 0};
        isEmpty(OneNode.onnx("Gather", 13).with("axis", 1 - axis), gathered, x, longs(0, 5));
    }

    @Test
    void windowsDoNotMoveOverEmptyImages() {
        for (long[] dims : new long[][] {{0, 1, 1L << 30}, {1, HUGE, 0}, {HUGE, 0, 2}}) {
            isEmpty(OneNode.onnx("MaxPool", 12).withAll("kernel_shape", 1), dims, empty(dims));
            isEmpty(OneNode.onnx("AveragePool", 19).withAll("kernel_shape", 1), dims, empty(dims));
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(OneNode one, @Nullable Datum... inputs) {
        return assertThatThrownBy(() -> new Planned(one, inputs).run()).isInstanceOf(EngineException.class);
    }

    @Test
    void aRegionThatIsNotOneOfAllAxesIsRefused() {
        OneNode resize = OneNode.onnx("Resize", 19)
                .with("mode", "linear")
                .with("coordinate_transformation_mode", "tf_crop_and_resize");
        refused(resize, floats(1, 2, 3), floats(), null, longs(2))
                .hasMessageContaining("a region of 0 numbers for 1 axes");
    }

    @Test
    void aSequenceOfMorePartsThanAnybodyKeepsIsRefused() {
        refused(OneNode.onnx("SplitToSequence", 11).with("axis", 1), empty(0, HUGE))
                .hasMessageContaining(HUGE + " parts; 16777216 are allowed");
        refused(OneNode.onnx("SplitToSequence", 11).with("axis", 1), empty(0, HUGE), Tensor.scalar(3L))
                .hasMessageContaining("parts; 16777216 are allowed");
    }

    @Test
    void tensorsOfOtherShapesAreNotStacked() {
        for (long axis = 0; axis < 3; axis++) {
            refused(
                            OneNode.onnx("ConcatFromSequence", 11)
                                    .with("new_axis", 1)
                                    .with("axis", axis),
                            TensorSequence.of(empty(2, 3), empty(2)))
                    .hasMessageContaining("cannot put");
        }
    }

    @Test
    void whatIsWrittenBehindAllEndsIsRefusedAndGoesRoundWhereItMay() {
        Tensor cache = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 4, 1);
        Tensor update = Tensor.copyOf(new float[] {5, 6}, 1, 2, 1);
        OneNode scatter = OneNode.onnx("TensorScatter", 24);
        refused(scatter, cache, update, longs(Long.MAX_VALUE)).hasMessageContaining("TensorScatter");
        refused(scatter, cache, update, longs(3)).hasMessageContaining("TensorScatter");
        Tensor round = scatter.with("mode", "circular").run(cache, update, longs(Long.MAX_VALUE));
        assertThat(round.floats()).containsExactly(6, 2, 3, 5);
    }

    @Test
    void windowsThatReachFartherThanIntegersDoNotComeBack() {
        Tensor x = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3);
        Tensor w = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, 1, 3, 3);
        OneNode shaped = OneNode.onnx("ConvTranspose", 22).withAll("output_shape", 10, 8);
        float[] expected = shaped.withAll("strides", 3, 255).run(x, w).floats();
        assertThat(shaped.withAll("output_padding", Integer.MIN_VALUE, 0)
                        .run(x, w)
                        .floats())
                .containsExactly(expected);
        shaped.withAll("strides", 3, 1_500_000_000).withAll("output_padding", 0, -2_000_000_000);
        refused(shaped, x, w).hasMessageContaining("places that a window reaches");
    }

    @Test
    void partsLongerThanAllAreOnePart() {
        Tensor whole = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
        var parts = (TensorSequence) OneNode.onnx("SplitToSequence", 11)
                .with("axis", 1)
                .runAll(whole, Tensor.scalar(Long.MAX_VALUE))
                .getFirst();
        assertThat(((Tensor) parts.elements().getFirst()).floats()).containsExactly(whole.floats());
        assertThat(parts.elements()).hasSize(1);
    }

    @Test
    void statisticsAreThereWithoutWhatTheyAreOf() {
        Tensor rows = Tensor.copyOf(new float[] {1, 3, 2, 6}, 2, 2);
        Tensor ones = Tensor.copyOf(new float[] {1, 1}, 2);
        var norm = OneNode.onnx("LayerNormalization", 17).outputs(2).omitting(0);
        assertThat(((Tensor) norm.runAll(rows, ones).getFirst()).floats()).containsExactly(2, 4);
    }

    @Test
    void aResultThatIsMadeOfAFewNumbersSaysHowMuchMemoryItWants() {
        refused(OneNode.onnx("Range", 11), Tensor.scalar(0L), Tensor.scalar(HUGE), Tensor.scalar(1L))
                .hasMessageContaining("no memory for " + 8 * HUGE + " bytes");
        refused(OneNode.onnx("HannWindow", 17), Tensor.scalar(HUGE))
                .hasMessageContaining("no memory for " + 4 * HUGE + " bytes");
        refused(
                        OneNode.onnx("MelWeightMatrix", 17),
                        Tensor.scalar(8L),
                        Tensor.scalar(HUGE),
                        Tensor.scalar(8000L),
                        Tensor.copyOf(new float[] {0}),
                        Tensor.copyOf(new float[] {4000}))
                .hasMessageContaining("no memory for");
    }

    @Test
    void aTableThatTheHeapDoesNotHoldIsRefusedWithItsSize() {
        refused(OneNode.onnx("CenterCropPad", 18), floats(1, 2), longs(Integer.MAX_VALUE))
                .hasMessageContaining("2147483647 places along an axis");
        refused(OneNode.onnx("Pad", 18), floats(1, 2), longs(0, HUGE))
                .hasMessageContaining((HUGE + 2) + " places along an axis");
        refused(OneNode.onnx("Upsample", 9), floats(1, 2, 3, 4), floats(1e9f))
                .hasMessageContaining("4000000000 places along an axis");
        refused(OneNode.onnx("Resize", 13).with("mode", "cubic"), floats(1, 2), null, null, longs(Integer.MAX_VALUE))
                .hasMessageContaining("2147483647 places along an axis");
    }

    @Test
    void anImageOfNothingIsNotResizedToSomething() {
        OneNode linear = OneNode.onnx("Resize", 13).with("mode", "linear");
        refused(linear, empty(1, 1, 0, 4), null, null, longs(1, 1, 3, 8))
                .hasMessageContaining("has nothing to make an extent of 3 of");
        long[] nothing = {1, 1, 0, 8};
        isEmpty(linear, nothing, empty(1, 1, 0, 4), null, floats(1, 1, 2, 2));
        isEmpty(linear, nothing, empty(1, 1, 0, 4), null, null, longs(nothing));
    }

    @Test
    void stringsAreNoMoreThanAnArrayAndTheHeapHold() {
        Tensor text = Tensor.ofStrings(Shape.of(1), "a");
        refused(OneNode.onnx("Tile", 13), text, longs(1L << 31)).hasMessageContaining("2147483648 strings");
        refused(OneNode.onnx("Expand", 13), text, longs(Integer.MAX_VALUE)).hasMessageContaining("2147483647 strings");
        long most = Runtime.getRuntime().maxMemory() / 16;
        if (most < Integer.MAX_VALUE - 16) {
            refused(OneNode.onnx("Expand", 13), text, longs(most + 1)).hasMessageContaining((most + 1) + " strings");
        }
    }

    @Test
    void whatIsTooLongForAKernelIsNamed() {
        refused(OneNode.onnx("Einsum", 12).with("equation", "ij,jk->k"), empty(HUGE, 0), empty(0, 3), empty(1))
                .hasMessageContaining("Einsum");
        refused(OneNode.onnx("MatMul", 13), empty(1L << 32, 0), empty(0, 1))
                .hasMessageContaining((1L << 32) + " rows are more than the 2147483639");
    }

    @Test
    void sequencesAreNoLongerThanTheirSteps() {
        OneNode lstm = OneNode.onnx("RNN", 14).with("hidden_size", 1);
        Tensor x = Tensor.copyOf(new float[2], 2, 1, 1);
        Tensor weights = Tensor.copyOf(new float[1], 1, 1, 1);
        for (int length : new int[] {-1, 3}) {
            refused(lstm, x, weights, weights, null, Tensor.copyOf(new int[] {length}, 1))
                    .hasMessageContaining("sequence 0 has the length " + length + " where 0 to 2 is expected");
        }
        assertThat(new Planned(lstm, x, weights, weights, null, Tensor.copyOf(new int[] {2}, 1))
                        .run()
                        .elements())
                .isEqualTo(2);
    }

    @Test
    void shapesThatOnlyTheRunKnowsAreCheckedBeforeADynamicKernelRuns() {
        refused(
                        OneNode.onnx("NonMaxSuppression", 11),
                        Tensor.copyOf(new float[6], 1, 1, 6),
                        Tensor.copyOf(new float[1], 1, 1, 1))
                .hasMessageContaining("input 0 has shape [1, 1, 6] where [1, 1, 4] is expected");
    }

    private static void isCancelled(OneNode one, @Nullable Datum... inputs) throws InterruptedException {
        assertThat(new Planned(one, inputs).cancelled())
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
    }

    @Test
    void aRunThatWouldGoOnForMinutesIsLeftWhenItIsCancelled() throws InterruptedException {
        isCancelled(
                OneNode.onnx("RoiAlign", 16)
                        .with("mode", "max")
                        .with("sampling_ratio", 1 << 16)
                        .with("coordinate_transformation_mode", "half_pixel"),
                Tensor.copyOf(new float[4], 1, 1, 2, 2),
                Tensor.copyOf(new float[] {0, 0, 1, 1}, 1, 4),
                longs(0));
        isCancelled(OneNode.onnx("LRN", 13).with("size", 999_999), Tensor.copyOf(new float[1_000_000], 1, 1_000_000));
        isCancelled(
                OneNode.onnx("Cast", 13).with("to", ElementType.STRING.code()),
                Tensor.copyOf(new float[1 << 25], 1 << 25));
        isCancelled(
                OneNode.onnx("RegexFullMatch", 20).with("pattern", "((a{1,1000}){1,1000}){1,1000}"),
                Tensor.ofStrings(Shape.of(1), "a".repeat(40) + "b"));
    }

    @Test
    void aPatternThatNeverEndsIsStopped() {
        refused(
                        OneNode.onnx("RegexFullMatch", 20).with("pattern", "((a{1,1000}){1,1000}){1,1000}"),
                        Tensor.ofStrings(Shape.of(1), "a".repeat(40) + "b"))
                .hasMessageContaining("looked 67108864 times at a text of 41 characters");
        refused(
                        OneNode.onnx("RegexFullMatch", 20).with("pattern", "(a|b|ab)*"),
                        Tensor.ofStrings(Shape.of(1), "ab".repeat(200_000)))
                .hasMessageContaining("too often for a text of 400000 characters");
    }

    @Test
    void argMaxFindsTheFirstAndTheLastOfEqualsInLongLanes() {
        float[] values = new float[2 * 5000];
        Arrays.fill(values, -1);
        for (int at : new int[] {2047, 2048, 4999}) {
            values[at] = 7;
            values[5000 + (at + 1) % 5000] = 7;
        }
        Tensor rows = Tensor.copyOf(values, 2, 5000);
        OneNode argMax = OneNode.onnx("ArgMax", 13).with("axis", 1);
        assertThat(argMax.run(rows).longs()).containsExactly(2047, 0);
        assertThat(argMax.with("select_last_index", Attribute.of(1)).run(rows).longs())
                .containsExactly(4999, 2049);
    }

    @Test
    void oneItemThatTakesLongIsStoppedInside() throws InterruptedException {
        isCancelled(OneNode.onnx("Softmax", 13), empty(1, 1 << 25));
        isCancelled(OneNode.onnx("TopK", 11), empty(1, 1 << 24), longs(1 << 23));
        float[] mixed = new float[1 << 22];
        for (int i = 0; i < mixed.length; i++) {
            mixed[i] = i * 0x9E3779B9;
        }
        isCancelled(OneNode.onnx("Unique", 11), floats(mixed));
        isCancelled(OneNode.onnx("Conv", 11), empty(1, 1, 2_000, 2_000), empty(1, 1, 101, 101));
        isCancelled(OneNode.onnx("DFT", 17), empty(1, 3_000_000, 1));
        Tensor row = empty(1, 1 << 25);
        isCancelled(OneNode.onnx("LayerNormalization", 17), row, empty(1));
        isCancelled(OneNode.onnx("LpNormalization", 22), row);
        isCancelled(OneNode.onnx("InstanceNormalization", 6), empty(1, 1, 1 << 25), empty(1), empty(1));
    }

    @Test
    void sizesOfAResizeThatCameWithTheRunAreFollowedOrRefusedByName() {
        for (String mode : new String[] {"nearest", "linear", "cubic"}) {
            OneNode resize = OneNode.onnx("Resize", 19).with("mode", mode);
            Tensor x = floats(1, 2, 3, 4, 5, 6).reshaped(Shape.of(1, 1, 2, 3));
            long[][] sizes = {{1, 1, 2, 3}, {1, 1, 5, 3}, {1, 1, 4, 7}, {1, 2, 1, 1}, {1, 1, 0, 3}, {0, 1, 4, 4}};
            for (long[] size : sizes) {
                assertThat(new Planned(resize, x, null, null, longs(size)).run().shape())
                        .isEqualTo(Shape.of(size));
            }
            Tensor none = Tensor.allocate(ElementType.FLOAT, Shape.of(1, 1, 0, 3));
            assertThat(new Planned(resize, none, null, null, longs(1, 1, 0, 6))
                            .run()
                            .shape())
                    .isEqualTo(Shape.of(1, 1, 0, 6));
            refused(resize, none, null, null, longs(1, 1, 4, 6)).hasMessageContaining("Resize");
            refused(resize, x, null, null, longs(1, 1, -4, 6)).hasMessageContaining("Resize");
        }
    }

    @Test
    void normsWithoutTheirScalesAreRefusedByName() {
        Tensor x = floats(1, 2, 3, 4).reshaped(Shape.of(1, 2, 2));
        OneNode skip = OneNode.of("com.microsoft", "SkipLayerNormalization", 1);
        refused(skip, x, x).hasMessageContaining("input 2 is missing");
        refused(skip, x, x, null).hasMessageContaining("input 2 is missing");
        refused(skip, x, x, floats(1, 2, 3)).hasMessageContaining("input 2 has shape [3]");
        refused(skip, x, x, floats(1, 2), floats(1)).hasMessageContaining("input 3 has shape [1]");
        Tensor words = Tensor.copyOf(new int[] {0, 1}, 1, 2);
        Tensor table = floats(1, 2, 3, 4).reshaped(Shape.of(2, 2));
        OneNode embed = OneNode.of("com.microsoft", "EmbedLayerNormalization", 1);
        refused(embed, words, null, table, table, null, null, floats(1, 2)).hasMessageContaining("input 5 is missing");
        refused(embed, words, null, table, table, null, floats(1, 2)).hasMessageContaining("input 6 is missing");
    }
}
