package dev.millrace.graph.infer;

import static dev.millrace.graph.infer.TestGraph.integer;
import static dev.millrace.graph.infer.TestGraph.ints;
import static dev.millrace.graph.tensor.ElementType.DOUBLE;
import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.FLOAT16;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static dev.millrace.graph.tensor.ElementType.INT8;
import static dev.millrace.graph.tensor.ElementType.STRING;
import static dev.millrace.graph.tensor.ElementType.UINT8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Forms of operators that ONNX's own cases do not show: old opsets, the classical and the contributed domains. */
class InferenceRulesTest {
    private static final Attributes NONE = Attributes.NONE;

    private TestGraph g = new TestGraph(13);

    private TestGraph at(int opset) {
        g = new TestGraph(opset);
        return g;
    }

    private Value in(ElementType element, Object... dims) {
        return g.input("x", element, dims);
    }

    private List<String> onnx(String op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        return outputs(OpId.onnx(op), outputs, attributes, inputs);
    }

    private List<String> outputs(OpId op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        Node node = g.add(op, outputs, attributes, inputs);
        g.infer();
        var types = new ArrayList<String>();
        for (Value output : node.outputs()) {
            types.add(output == null ? "-" : String.valueOf(output.type()));
        }
        return types;
    }

    private List<String> ml(String op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        return outputs(new OpId(OpId.ONNX_ML, op), outputs, attributes, inputs);
    }

    private List<String> microsoft(String op, int outputs, Attributes attributes, @Nullable Value... inputs) {
        return outputs(new OpId(OpId.MICROSOFT, op), outputs, attributes, inputs);
    }

    @Test
    void shapesThatWereAttributesInOldOpsets() {
        at(1);
        assertThat(onnx("Reshape", 1, ints("shape", 0, -1), in(FLOAT, 2, 3, 4))).containsExactly("float[2,12]");
        at(9);
        assertThat(onnx("Slice", 1, ints("starts", 1).with("ends", new Attribute.Ints(List.of(3L))), in(FLOAT, 5, 4)))
                .containsExactly("float[2,4]");
        assertThat(onnx("Squeeze", 1, ints("axes", 0, 2), in(FLOAT, 1, 3, 1))).containsExactly("float[3]");
        assertThat(onnx("Unsqueeze", 1, ints("axes", 0, 2), in(FLOAT, 3))).containsExactly("float[1,3,1]");
        assertThat(onnx("Pad", 1, ints("pads", 1, 0, 0, 2), in(FLOAT, 3, 3))).containsExactly("float[4,5]");
        assertThat(onnx("TopK", 2, integer("k", 2), in(FLOAT, 3, 5))).containsExactly("float[3,2]", "int64[3,2]");
        assertThat(onnx("Split", 2, ints("split", 1, 3), in(FLOAT, 4, 2))).containsExactly("float[1,2]", "float[3,2]");
        assertThat(onnx("ReduceSum", 1, ints("axes", 1), in(FLOAT, 4, 2))).containsExactly("float[4,1]");
        at(1);
        assertThat(onnx("Pad", 1, ints("paddings", 1, 0, 0, 2), in(FLOAT, 3, 3)))
                .containsExactly("float[4,5]");
        assertThat(onnx("Tile", 1, NONE, in(FLOAT, 3, 3), g.constant(Tensor.scalar(2f)), g.constant(Tensor.scalar(1f))))
                .containsExactly("float[3,6]");
        assertThat(onnx("Concat", 1, NONE, in(FLOAT, 3, 3), in(FLOAT, 3, 1))).containsExactly("float[3,4]");
        assertThat(onnx("Cast", 1, Attributes.of("to", Attribute.of("FLOAT16")), in(FLOAT, 3)))
                .containsExactly("float16[3]");
    }

    @Test
    void nothingButOneSetsAFlagOfAReductionOrAWindow() {
        at(18);
        assertThat(onnx("ReduceMax", 1, integer("keepdims", 2), in(FLOAT, 4, 2)))
                .containsExactly("float[]");
        Attributes nothing = integer("noop_with_empty_axes", -1).with("keepdims", Attribute.of(0));
        assertThat(onnx("ReduceMax", 1, nothing, in(FLOAT, 4, 2))).containsExactly("float[]");
        assertThat(onnx("ArgMax", 1, integer("keepdims", -3), in(FLOAT, 4, 2))).containsExactly("int64[2]");
        Attributes floor = ints("kernel_shape", 2)
                .with("strides", Attribute.of(new long[] {2}))
                .with("ceil_mode", Attribute.of(3));
        assertThat(onnx("MaxPool", 1, floor, in(FLOAT, 1, 1, 5))).containsExactly("float[1,1,2]");
    }

    @Test
    void axesThatAreNotKnownMayBeTheSame() {
        at(18);
        Attributes folds = integer("keepdims", 0);
        assertThat(onnx("ReduceMax", 1, folds, in(FLOAT, 4, 2), g.input("axes", INT64, 1)))
                .containsExactly("float[?]");
        assertThat(onnx("ReduceMax", 1, folds, in(FLOAT, 4, 2), g.input("axes", INT64, 2)))
                .containsExactly("float[...]");
        assertThat(onnx("ReduceMax", 1, NONE, in(FLOAT, 4, 2), g.input("axes", INT64, 2)))
                .containsExactly("float[?,?]");
    }

    @Test
    void theSecondOperandFitsTheFirstBeforeOpsetSeven() {
        at(6);
        assertThat(onnx(
                        "Add",
                        1,
                        integer("broadcast", 1).with("axis", Attribute.of(1)),
                        in(FLOAT, 2, 3, 4),
                        in(FLOAT, 3)))
                .containsExactly("float[2,3,4]");
        assertThat(onnx("Equal", 1, integer("broadcast", 1), in(INT64, 2, 3), in(INT64, 3)))
                .containsExactly("bool[2,3]");
    }

    @Test
    void outputsOfOldNormalisationsAndDropouts() {
        at(6);
        Value c = in(FLOAT, 3);
        assertThat(onnx("BatchNormalization", 5, NONE, in(FLOAT, 2, 3, 4, 4), c, c, c, c))
                .containsExactly("float[2,3,4,4]", "float[3]", "float[3]", "float[3]", "float[3]");
        assertThat(onnx("Dropout", 2, NONE, in(FLOAT16, 2, 3))).containsExactly("float16[2,3]", "float16[2,3]");
        at(13);
        assertThat(onnx("Dropout", 2, NONE, in(FLOAT16, 2, 3))).containsExactly("float16[2,3]", "bool[2,3]");
    }

    @Test
    void upsampleInItsThreeForms() {
        at(9);
        Value scales = g.constant(Tensor.copyOf(new float[] {1, 1, 2, 3}, 4));
        assertThat(onnx("Upsample", 1, NONE, in(FLOAT, 1, 2, 3, "w"), scales)).containsExactly("float[1,2,6,w*3]");
        at(7);
        assertThat(onnx(
                        "Upsample",
                        1,
                        Attributes.of("scales", new Attribute.Floats(List.of(1f, 1f, 2f, 2f))),
                        in(FLOAT, 1, 2, 3, 4)))
                .containsExactly("float[1,2,6,8]");
        at(1);
        Attributes both = Attributes.of("height_scale", Attribute.of(2f)).with("width_scale", Attribute.of(1.5f));
        assertThat(onnx("Upsample", 1, both, in(FLOAT, 1, 2, 3, 4))).containsExactly("float[1,2,6,6]");
    }

    @Test
    void generatorsAndPoolsWithoutCasesOfTheirOwn() {
        assertThat(onnx("RandomNormal", 1, ints("shape", 2, 3), new Value[0])).containsExactly("float[2,3]");
        assertThat(onnx("RandomUniformLike", 1, integer("dtype", 11), in(FLOAT, 2, "n")))
                .containsExactly("double[2,n]");
        assertThat(onnx("Multinomial", 1, integer("sample_size", 4), in(FLOAT, "n", 9)))
                .containsExactly("int32[n,4]");
        assertThat(onnx("GlobalLpPool", 1, NONE, in(FLOAT, "n", 9, 5, "w"))).containsExactly("float[n,9,1,1]");
        assertThat(onnx("MaxRoiPool", 1, ints("pooled_shape", 2, 3), in(FLOAT, 1, 9, 8, 8), in(FLOAT, "r", 5)))
                .containsExactly("float[r,9,2,3]");
        assertThat(onnx("NonZero", 1, NONE, in(FLOAT, "n", 9))).containsExactly("int64[2,?]");
    }

    @Test
    void sequencesAndOptionals() {
        at(16);
        Value sequence = g.node("SequenceConstruct", in(FLOAT, 2, 3), in(FLOAT, 2, 5));
        assertThat(onnx("SequenceAt", 1, NONE, sequence, g.scalar(0))).containsExactly("float[2,?]");
        assertThat(onnx("SequenceLength", 1, NONE, sequence)).containsExactly("int64[]");
        assertThat(onnx("SequenceErase", 1, NONE, sequence)).containsExactly("seq(float[2,?])");
        assertThat(onnx("ConcatFromSequence", 1, integer("axis", 1), sequence)).containsExactly("float[2,?]");
        assertThat(onnx("ConcatFromSequence", 1, integer("axis", 0).with("new_axis", Attribute.of(1)), sequence))
                .containsExactly("float[?,2,?]");
        Value optional = g.node("Optional", sequence);
        assertThat(onnx("OptionalHasElement", 1, NONE, optional)).containsExactly("bool[]");
        assertThat(onnx("OptionalGetElement", 1, NONE, optional)).containsExactly("seq(float[2,?])");
        assertThat(onnx("SplitToSequence", 1, NONE, in(FLOAT, 4, 3), g.scalar(2)))
                .containsExactly("seq(float[2,3])");
    }

    @Test
    void classicalModels() {
        Attributes labels = Attributes.of("classlabels_strings", strings("a", "b", "c"));
        assertThat(ml("LinearClassifier", 2, labels, in(FLOAT, "n", 4))).containsExactly("string[n]", "float[n,3]");
        assertThat(ml("LinearRegressor", 1, integer("targets", 2), in(FLOAT, "n", 4)))
                .containsExactly("float[n,2]");
        assertThat(ml("SVMRegressor", 1, NONE, in(FLOAT, "n", 4))).containsExactly("float[n,1]");
        Attributes four = ints("classlabels_ints", 1, 2, 3, 4);
        assertThat(ml("SVMClassifier", 2, four.with("vectors_per_class", Attribute.of(1L, 1, 1, 1)), in(FLOAT, 7, 4)))
                .containsExactly("int64[7]", "float[7,6]");
        assertThat(ml("TreeEnsembleRegressor", 1, integer("n_targets", 3), in(DOUBLE, 7, 4)))
                .containsExactly("float[7,3]");
        assertThat(ml("OneHotEncoder", 1, ints("cats_int64s", 1, 2), in(INT64, 7)))
                .containsExactly("float[7,2]");
        assertThat(ml("FeatureVectorizer", 1, NONE, in(FLOAT, "n", 3), in(FLOAT, "n", 2)))
                .containsExactly("float[n,5]");
        assertThat(ml("FeatureVectorizer", 1, NONE, in(FLOAT, "n", 3, 2), in(FLOAT, "n", 2)))
                .containsExactly("float[n,8]");
        assertThat(ml("CategoryMapper", 1, NONE, in(STRING, 3))).containsExactly("int64[3]");
        assertThat(ml("Scaler", 1, NONE, in(INT64, 3))).containsExactly("float[3]");
        assertThat(ml("Imputer", 1, NONE, in(INT64, 3))).containsExactly("int64[3]");
        assertThat(ml("ZipMap", 1, labels, in(FLOAT, "n", 3))).containsExactly("seq(map(string, float[]))");
        Value map = g.input("m", new ValueType.MapType(INT64, ValueType.tensor(FLOAT, Shape.SCALAR)));
        assertThat(ml("CastMap", 1, NONE, map)).containsExactly("float[1,?]");
        assertThat(ml("DictVectorizer", 1, ints("int64_vocabulary", 4, 5, 6), map))
                .containsExactly("float[1,3]");
    }

    private static Attribute strings(String... values) {
        var bytes = new ArrayList<Attribute.Bytes>();
        for (String value : values) {
            bytes.add((Attribute.Bytes) Attribute.of(value));
        }
        return new Attribute.Strings(bytes);
    }

    @Test
    void operatorsOfTheEngineAndOfOptimisedModels() {
        Value x = in(FLOAT, "b", "s", 8);
        assertThat(outputs(
                        new OpId(OpId.MILLRACE, "Linear"), 1, NONE, x, in(FLOAT, 8, 5), in(FLOAT, 5), in(FLOAT, 1, 5)))
                .containsExactly("float[b,s,5]");
        assertThat(microsoft("FusedMatMul", 1, integer("transB", 1), x, in(FLOAT, 5, 8)))
                .containsExactly("float[b,s,5]");
        assertThat(microsoft("SkipLayerNormalization", 4, NONE, x, x, in(FLOAT, 8)))
                .containsExactly("float[b,s,8]", "float[b,s,1]", "float[b,s,1]", "float[b,s,8]");
        assertThat(microsoft("MatMulNBits", 1, integer("K", 8).with("N", Attribute.of(6)), x))
                .containsExactly("float[b,s,6]");
        assertThat(microsoft("DynamicQuantizeMatMul", 1, NONE, x, in(INT8, 8, 4)))
                .containsExactly("float[b,s,4]");
        assertThat(microsoft("Attention", 2, integer("num_heads", 2), x, in(FLOAT, 8, 24), in(FLOAT, 24)))
                .containsExactly("float[b,s,8]", "float[2,b,2,s,4]");
        Value past = in(FLOAT, "b", 2, "p", 4);
        assertThat(microsoft("MultiHeadAttention", 3, integer("num_heads", 2), x, x, x, null, null, null, past, past))
                .containsExactly("float[b,s,8]", "float[b,2,p + s,4]", "float[b,2,p + s,4]");
        Value ids = in(ElementType.INT32, "b", "s");
        Value words = in(FLOAT, 100, 8);
        Value places = in(FLOAT, 16, 8);
        Value scale = in(FLOAT, 8);
        assertThat(microsoft("EmbedLayerNormalization", 2, NONE, ids, null, words, places, null, scale, scale))
                .containsExactly("float[b,s,8]", "int32[b]");
        assertThat(microsoft("QLinearAdd", 1, NONE, in(UINT8, 4, 1), in(FLOAT), in(UINT8), in(UINT8, 3), in(FLOAT)))
                .containsExactly("uint8[4,3]");
        assertThat(microsoft("Gelu", 1, NONE, x)).containsExactly("float[b,s,8]");
    }

    @Test
    void whatNobodyKnowsIsUnknown() {
        Value x = in(FLOAT, 2);
        assertThat(microsoft("EPContext", 2, NONE, x)).containsExactly("null", "null");
        assertThat(onnx("NoSuchThing", 1, NONE, x)).containsExactly("null");
        assertThat(outputs(new OpId("some.where", "Add"), 1, NONE, x, x)).containsExactly("null");
    }

    @Test
    void whatAnInputIsNotKnownToBeLeavesTheRestKnown() {
        Value unknown = g.input("u", new ValueType.TensorType(FLOAT, null));
        assertThat(onnx("Conv", 1, NONE, unknown, in(FLOAT, 8, 3, 3, 3))).containsExactly("float[?,?,?,?]");
        assertThat(onnx("Transpose", 1, ints("perm", 1, 0), unknown)).containsExactly("float[?,?]");
        assertThat(onnx("Shape", 1, NONE, unknown)).containsExactly("int64[?]");
        assertThat(onnx("Reshape", 1, NONE, in(FLOAT, "n", 4), in(INT64, 3))).containsExactly("float[?,?,?]");
        assertThat(onnx("Expand", 1, NONE, in(FLOAT, 4), in(INT64, 2))).containsExactly("float[?,4]");
    }

    @Test
    void whatABranchCapturesIsAskedForWhenShapesAreBound() {
        Value x = in(FLOAT, "m", "n");
        TestGraph branch = g.nested();
        branch.output(branch.node("Transpose", x));
        Attributes branches = Attributes.of("then_branch", Attribute.of(branch.graph()))
                .with("else_branch", Attribute.of(branch.graph()));
        Node node = g.add(OpId.onnx("If"), 1, branches, g.input("c", ElementType.BOOL));
        g.infer();
        List<@Nullable ValueType> bound = TypeInference.outputs(node, new Facts() {
            @Override
            public @Nullable ValueType type(int input) {
                return null;
            }

            @Override
            public @Nullable Tensor value(int input) {
                return null;
            }

            @Override
            public @Nullable ValueType type(Value captured) {
                return captured == x ? ValueType.tensor(FLOAT, Shape.of(2, 3)) : captured.type();
            }
        });
        assertThat(bound).hasToString("[float[3,2]]");
        assertThat(node.requireOutput(0).type()).hasToString("float[n,m]");
    }

    @Test
    void controlFlowJoinsWhatMayHappen() {
        Value condition = g.input("c", ElementType.BOOL);
        Value x = in(FLOAT, 2, "n");
        TestGraph one = g.nested();
        one.output(one.node("Concat", integer("axis", 0), x, x));
        TestGraph other = g.nested();
        other.output(other.node("Abs", x));
        Attributes branches = Attributes.of(
                Map.of("then_branch", Attribute.of(one.graph()), "else_branch", Attribute.of(other.graph())));
        assertThat(onnx("If", 1, branches, condition)).containsExactly("float[?,n]");
        assertThat(onnx("If", 1, branches, g.constant(Tensor.scalar(true)))).containsExactly("float[4,n]");

        TestGraph body = g.nested();
        body.input("i", INT64);
        Value again = body.input("again", ElementType.BOOL);
        Value grown = body.input("state", new ValueType.TensorType(FLOAT, null));
        body.output(again);
        body.output(body.node("Concat", integer("axis", 0), grown, x));
        body.output(body.node("Abs", x));
        assertThat(onnx("Loop", 2, Attributes.of("body", Attribute.of(body.graph())), g.scalar(5), null, x))
                .containsExactly("float[?,n]", "float[?,2,n]");
        assertThat(grown.type()).hasToString("float[?,n]");
    }
}
