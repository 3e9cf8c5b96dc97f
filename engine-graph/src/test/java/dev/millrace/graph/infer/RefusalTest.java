package dev.millrace.graph.infer;

import static dev.millrace.graph.infer.TestGraph.integer;
import static dev.millrace.graph.tensor.ElementType.BOOL;
import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.INT32;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RefusalTest {
    private final TestGraph g = new TestGraph(17);

    private AbstractThrowableAssert<?, ? extends Throwable> refused(
            String op, Attributes attributes, @Nullable Value... inputs) {
        g.node(op, attributes, inputs);
        return assertThatThrownBy(g::infer)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageStartingWith(op + " -> 'v");
    }

    private Value in(Object... dims) {
        return g.input("x", FLOAT, dims);
    }

    @Test
    void shapesThatDoNotBroadcast() {
        refused("Add", Attributes.NONE, in(2, 3), in(2, 4)).hasMessageContaining("[2, 3] and [2, 4] do not broadcast");
    }

    @Test
    void aWindowThatIsNoneWhereItsResultsShapeIsGiven() {
        var none = Attributes.of("kernel_shape", Attribute.of(new long[0]));
        Value shape = g.input("shape", INT64, 4);
        refused("MaxUnpool", none, in(1, 1, 2, 2), g.input("places", INT64, 1, 1, 2, 2), shape)
                .hasMessageContaining("kernel_shape");
    }

    @Test
    void indicesOfOtherBatches() {
        refused("GatherND", integer("batch_dims", 1), in(2, 2, 2), g.input("indices", INT64, 4, 1))
                .hasMessageContaining("indices of shape [4, 1] do not fit data of shape [2, 2, 2]");
    }

    @Test
    void samplesThatAreNoNumbers() {
        refused("STFT", Attributes.NONE, in(1, 16, 0), g.input("step", INT64), g.input("window", FLOAT, 8))
                .hasMessageContaining("neither of real nor of complex numbers");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refusedOfMicrosoft(
            String op, Attributes attributes, @Nullable Value... inputs) {
        g.add(new OpId(OpId.MICROSOFT, op), 1, attributes, inputs);
        return assertThatThrownBy(g::infer).isInstanceOf(EngineException.class);
    }

    @Test
    void keysAndValuesOfAnotherBatch() {
        Attributes heads = integer("num_heads", 2);
        Value keys = g.input("keys", FLOAT, 1, 2, 4);
        refusedOfMicrosoft("MultiHeadAttention", heads, in(128, 2, 4), keys, keys)
                .hasMessageContaining("input 1 of shape [1, 2, 4] has another batch than queries of shape [128, 2, 4]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,2,8,3", "1,2,8,7", "1,1,1,3", "1,2,8,13", "2,2,8,8", "1,3,8,8", "1,2,3,8"})
    void aBiasOfOtherScoresThanThereAre(String bias) {
        Value x = in(1, 8, 4);
        refusedOfMicrosoft("MultiHeadAttention", integer("num_heads", 2), x, x, x, null, null, shaped("bias", bias))
                .hasMessageContaining("input 5 has shape [" + bias.replace(",", ", ")
                        + "], which does not broadcast to [1, 2, 8, 8]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2,2,3,2", "1,1,3,2", "1,2,3,4", "1,2,4,2"})
    void aPastThatDoesNotContinue(String pastValues) {
        Value x = in(1, 8, 4);
        Value keys = g.input("keys", FLOAT, 1, 2, 3, 2);
        Value values = shaped("values", pastValues);
        refusedOfMicrosoft("MultiHeadAttention", integer("num_heads", 2), x, x, x, null, null, null, keys, values)
                .hasMessageContaining("where [1, 2, 3, 2] is expected");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1,9", "2,2,4", "1,3,2", "3", "2,2"})
    void aMaskOfOtherKeysThanThereAre(String mask) {
        Value keys = g.input("mask", INT32, extents(mask));
        Value weights = g.input("weights", FLOAT, 4, 12);
        refusedOfMicrosoft("Attention", integer("num_heads", 2), in(1, 2, 4), weights, null, keys)
                .hasMessageContaining("input 3 has shape [" + mask.replace(",", ", ") + "]");
    }

    private Value shaped(String name, String dims) {
        return g.input(name, FLOAT, extents(dims));
    }

    private static Object[] extents(String dims) {
        return Arrays.stream(dims.split(",")).map(Integer::valueOf).toArray();
    }

    @Test
    void segmentsOfOtherWords() {
        Value words = g.input("words", INT32, 3, 2);
        Value segments = g.input("segments", INT32, 2, 2);
        Value table = in(4, 4);
        Value scale = g.input("scale", FLOAT, 4);
        refusedOfMicrosoft(
                        "EmbedLayerNormalization", Attributes.NONE, words, segments, table, table, table, scale, scale)
                .hasMessageContaining("input 1 has shape [2, 2] where [3, 2] is expected");
    }

    @Test
    void elementTypesThatDiffer() {
        refused("Add", Attributes.NONE, in(2), g.input("y", INT64, 2))
                .hasMessageContaining("input 1 ('B') is int64, but has to be float as what shares its type T");
    }

    @Test
    void whatIsInferredHasToBeOfATypeThatTheOperatorTakes() {
        Value places = g.node("ArgMin", g.node("Relu", in(2, 3)));
        refused("LayerNormalization", Attributes.NONE, places, g.input("scale", FLOAT, 3))
                .hasMessageContaining("input 0 ('X') is int64 where float, float16, double, bfloat16 is allowed");
    }

    @Test
    void whatIsCastHasToBeOfATypeThatTheOperatorTakes() {
        Value doubles = g.node("Cast", Attributes.of("to", Attribute.of(ElementType.DOUBLE.code())), in(2));
        refused("QuantizeLinear", Attributes.NONE, doubles, g.input("scale", FLOAT))
                .hasMessageContaining("input 0 ('x') is double where float, int32 is allowed");
    }

    @Test
    void whatAnOperatorGivesHasToBeOfATypeOfItsVersion() {
        refused("Cast", Attributes.of("to", Attribute.of(ElementType.UINT4.code())), in(2))
                .hasMessageContaining("output 0 ('output') is uint4 where ");
    }

    @Test
    void matricesWithoutAProduct() {
        refused("MatMul", Attributes.NONE, in(2, 3), in(4, 5)).hasMessageContaining("3 and 4 have to be equal");
    }

    @Test
    void anAxisOutside() {
        refused("Concat", integer("axis", 2), in(2, 3)).hasMessageContaining("axis 2 is outside [-2, 2)");
    }

    @Test
    void anAttributeThatIsMissing() {
        refused("Concat", Attributes.NONE, in(2, 3)).hasMessageContaining("attribute 'axis' is missing");
    }

    @Test
    void anAttributeOfAnotherKind() {
        refused("Concat", Attributes.of("axis", Attribute.of("0")), in(2, 3))
                .hasMessageContaining("attribute 'axis' is of kind Bytes where Int is expected");
    }

    @Test
    void aRankThatTheOperatorDoesNotTake() {
        refused("LSTM", integer("hidden_size", 4), in(2, 3), in(1, 16, 3), in(1, 16, 4))
                .hasMessageContaining("input 0 has shape [2, 3] where rank 3 is expected");
    }

    @Test
    void activationsThatAreClippedToNothing() {
        Attributes clip = integer("hidden_size", 4).with("clip", Attribute.of(Float.NEGATIVE_INFINITY));
        refused("LSTM", clip, in(1, 2, 3), in(1, 16, 3), in(1, 16, 4)).hasMessageContaining("'clip' is -Infinity");
    }

    @Test
    void aConstantOfTwoValues() {
        Attributes two =
                Attributes.of("value", Attribute.of(Tensor.scalar(1f))).with("value_ints", Attribute.of(4L, 5L));
        refused("Constant", two).hasMessageContaining("several: [value, value_ints]");
    }

    @Test
    void anEyeThatIsNoMatrix() {
        refused("EyeLike", Attributes.NONE, in(3)).hasMessageContaining("rank 2 is expected");
    }

    @Test
    void aSliceByNumbersThatAreNoList() {
        refused("Slice", Attributes.NONE, in(3), g.constant(Tensor.scalar(0L)), g.constant(2))
                .hasMessageContaining("input 1 has shape [] where rank 1 is expected");
    }

    @Test
    void featuresOfWhichNotAllHaveAWidth() {
        Attributes one = Attributes.of("inputdimensions", Attribute.of(new long[] {3}));
        g.add(new OpId(OpId.ONNX_ML, "FeatureVectorizer"), 1, one, in(2, 3), in(2, 4));
        assertThatThrownBy(g::infer)
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'inputdimensions' is [3]");
    }

    @Test
    void aMapOfANumber() {
        g.add(new OpId(OpId.ONNX_ML, "ZipMap"), 1, Attributes.NONE, in());
        assertThatThrownBy(g::infer).isInstanceOf(EngineException.class).hasMessageContaining("rank 1 to 2");
    }

    @Test
    void aBiasIsOfTheLastAxis() {
        for (String op : List.of("BiasGelu", "FastGelu", "BiasAdd", "BiasSplitGelu")) {
            var wrong = new TestGraph(17);
            wrong.add(
                    new OpId(OpId.MICROSOFT, op),
                    1,
                    Attributes.NONE,
                    wrong.input("x", FLOAT, 3, 4),
                    wrong.input("b", FLOAT, 3));
            assertThatThrownBy(wrong::infer).hasMessageContaining("input 1 has shape [3] where [4] is expected");
            var single = new TestGraph(17);
            single.add(
                    new OpId(OpId.MICROSOFT, op),
                    1,
                    Attributes.NONE,
                    single.input("x", FLOAT),
                    single.input("b", FLOAT, 1));
            assertThatThrownBy(single::infer)
                    .hasMessageContaining("input 0 has shape [] where rank 1 or more is expected");
        }
    }

    @Test
    void rotaryOperandsHaveTheirRanks() {
        Value places = g.input("places", INT64);
        Value cosines = g.input("cosines", FLOAT, 8, 2);
        g.add(new OpId(OpId.MICROSOFT, "RotaryEmbedding"), 1, Attributes.NONE, in(1, 4, 8), places, cosines, cosines);
        assertThatThrownBy(g::infer).hasMessageContaining("input 1 has shape [] where rank 1 to 2 is expected");
    }

    @Test
    void moreThanABiasForAGelu() {
        Value x = in(2);
        g.add(new OpId(OpId.MICROSOFT, "FastGelu"), 1, Attributes.NONE, x, x, x);
        assertThatThrownBy(g::infer).isInstanceOf(EngineException.class).hasMessageContaining("it has 3 inputs");
    }

    @Test
    void aKernelThatIsLargerThanItsImage() {
        refused("Conv", Attributes.NONE, in(1, 1, 2, 2), in(1, 1, 5, 5)).hasMessageContaining("larger than the padded");
    }

    @Test
    void anExtentThatWouldBeNegative() {
        refused("Pad", Attributes.NONE, in(2), g.constant(-2, -1)).hasMessageContaining("negative extent -1");
    }

    @Test
    void anExtentBeyondALong() {
        refused("Tile", Attributes.NONE, in(1L << 40), g.constant(1L << 40)).hasMessageContaining("too large");
    }

    @Test
    void elementsThatDoNotFillTheShape() {
        refused("Reshape", Attributes.NONE, in(2, 3), g.constant(4, -1)).hasMessageContaining("cannot be read as");
    }

    @Test
    void axesThatAreNotKnownYetAndCannotBeThere() {
        refused("Slice", Attributes.NONE, in(), g.constant(0), g.constant(1), g.input("axes", INT64, 1))
                .hasMessageContaining("1 axes are sliced of a tensor that has 0");
    }

    @Test
    void numbersThatAreNeitherRealNorComplex() {
        refused("DFT", Attributes.NONE, in(1, 4, 0)).hasMessageContaining("neither real nor complex");
    }

    @Test
    void allAxesAreDroppedThoughOneIsNotOne() {
        refused("Squeeze", Attributes.NONE, in(0), g.input("axes", INT64, 1)).hasMessageContaining("not every axis");
    }

    @Test
    void aSequenceWhereATensorIsExpected() {
        Value sequence = g.input("s", new ValueType.SequenceType(ValueType.tensor(FLOAT)));
        refused("Abs", Attributes.NONE, sequence)
                .hasMessageContaining("input 0 ('X') is seq(float) where float, uint8, ");
    }

    @Test
    void aNodeInABranchIsNamedWithItsWay() {
        TestGraph branch = g.nested();
        branch.output(branch.node("Add", in(2), in(3)));
        Attributes branches = Attributes.of("then_branch", Attribute.of(branch.graph()))
                .with("else_branch", Attribute.of(branch.graph()));
        refused("If", branches, g.input("c", BOOL))
                .hasMessageContaining(": Add -> 'v")
                .hasMessageContaining("broadcast");
    }

    @Test
    void aBranchTakesNoInputs() {
        TestGraph branch = g.nested();
        branch.output(branch.node("Abs", branch.input("given", FLOAT, 2)));
        Attributes branches = Attributes.of("then_branch", Attribute.of(branch.graph()))
                .with("else_branch", Attribute.of(branch.graph()));
        refused("If", branches, g.input("c", BOOL))
                .hasMessageContaining("'then_branch' has an input 'given', but an If gives its branches no values");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 2, 1L << 32})
    void moreBatchesThanAxes(long batches) {
        refused("GatherND", integer("batch_dims", batches), in(2, 2, 2), g.input("indices", INT64, 2, 1))
                .hasMessageContaining("attribute 'batch_dims' is " + batches + " where 0 to 1 is expected")
                .hasMessageContaining("input 1, of shape [2, 1]");
    }

    @Test
    void batchesAreCountedByTheOperandWhoseRankIsKnown() {
        Value indices = g.input("indices", ValueType.tensor(INT64));
        refused("GatherND", integer("batch_dims", 3), in(2, 2, 2), indices)
                .hasMessageContaining("attribute 'batch_dims' is 3 where 0 to 2 is expected");
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3, 1L << 40})
    void moreScannedInputsThanThereAre(long scanned) {
        TestGraph body = g.nested();
        body.output(body.node("Add", body.input("a", FLOAT, 2), body.input("b", FLOAT, 2)));
        Attributes attributes = integer("num_scan_inputs", scanned).with("body", Attribute.of(body.graph()));
        refused("Scan", attributes, in(4, 2), in(4, 2))
                .hasMessageContaining("the node has 2 inputs, " + scanned + " of them scanned ('num_scan_inputs')");
    }

    @ParameterizedTest
    @CsvSource({"SpaceToDepth, 0", "SpaceToDepth, 2147483648", "DepthToSpace, 4294967296"})
    void aBlockOfNoPixelsOrTooMany(String op, long block) {
        refused(op, integer("blocksize", block), in(1, 1, "h", "w"))
                .hasMessageContaining("attribute 'blocksize' is " + block + " where a positive number below 2^31");
    }

    @Test
    void theBranchThatIsCertainlyNotTakenMayBeWrong() {
        TestGraph wrong = g.nested();
        wrong.output(wrong.node("Add", in(2), in(3)));
        TestGraph right = g.nested();
        right.output(right.node("Abs", in(2)));
        Attributes branches = Attributes.of("then_branch", Attribute.of(right.graph()))
                .with("else_branch", Attribute.of(wrong.graph()));
        Value y = g.add(OpId.onnx("If"), 1, branches, g.constant(Tensor.scalar(true)))
                .requireOutput(0);
        g.infer();
        assertThat(y.type()).hasToString("float[2]");
    }
}
