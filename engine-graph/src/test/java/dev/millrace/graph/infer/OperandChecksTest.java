package dev.millrace.graph.infer;

import static dev.millrace.graph.infer.TestGraph.integer;
import static dev.millrace.graph.infer.TestGraph.ints;
import static dev.millrace.graph.tensor.ElementType.FLOAT;
import static dev.millrace.graph.tensor.ElementType.INT32;
import static dev.millrace.graph.tensor.ElementType.INT64;
import static dev.millrace.graph.tensor.ElementType.INT8;
import static dev.millrace.graph.tensor.ElementType.STRING;
import static dev.millrace.graph.tensor.ElementType.UINT8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each operator with inputs that fit, and with one that does not. */
class OperandChecksTest {
    private int names;

    /** A shape of one element type, as an input of a test. */
    private record In(ElementType type, Object... dims) {}

    private static In f(Object... dims) {
        return new In(FLOAT, dims);
    }

    private static In of(ElementType type, Object... dims) {
        return new In(type, dims);
    }

    private TestGraph graph(OpId op, int opset, Attributes attributes, @Nullable In... inputs) {
        var graph = new TestGraph(opset);
        @Nullable Value[] values = new Value[inputs.length];
        for (int i = 0; i < values.length; i++) {
            In in = inputs[i];
            values[i] = in == null ? null : graph.input("x" + names++, in.type(), in.dims());
        }
        graph.add(op, 1, attributes, values);
        return graph;
    }

    private void takes(String op, int opset, Attributes attributes, @Nullable In... inputs) {
        assertThatCode(() -> graph(OpId.onnx(op), opset, attributes, inputs).infer())
                .doesNotThrowAnyException();
    }

    private void refuses(String op, int opset, Attributes attributes, @Nullable In... inputs) {
        refuses(OpId.onnx(op), opset, attributes, inputs);
    }

    private void refuses(OpId op, int opset, Attributes attributes, @Nullable In... inputs) {
        assertThatThrownBy(() -> graph(op, opset, attributes, inputs).infer())
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining(op.name())
                .hasRootCauseInstanceOf(EngineException.class);
    }

    private static Attributes heads(long queries, long keys) {
        return integer("q_num_heads", queries).with("kv_num_heads", Attribute.of(keys));
    }

    @Test
    void attention() {
        takes("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 2, 5, 8), f(2, 2, 5, 6));
        takes("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), f(3, 5));
        takes("Attention", 24, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), f(1, 1, 3, 4));
        takes("Attention", 23, heads(4, 2), f(2, 3, 32), f(2, 5, 16), f(2, 5, 12));
        takes(
                "Attention",
                23,
                Attributes.NONE,
                f("n", 4, "q", 8),
                f("n", 2, "k", 8),
                f("n", 2, "k", 6),
                f("q", "?"),
                f("n", 2, "p", 8),
                f("n", 2, "p", 6));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 3, 5, 8), f(2, 3, 5, 8));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 7), f(2, 4, 5, 8));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 4, 8));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(1, 4, 5, 8), f(2, 4, 5, 8));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), f(2, 5));
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), f(3, 6));
        refuses("Attention", 23, heads(3, 2), f(2, 3, 32), f(2, 5, 16), f(2, 5, 12));
        In past = f(2, 4, 7, 8);
        takes("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), f(3, 12), past, past);
        refuses("Attention", 23, Attributes.NONE, f(2, 4, 3, 8), f(2, 4, 5, 8), f(2, 4, 5, 8), null, past, null);
        refuses(
                "Attention",
                23,
                Attributes.NONE,
                f(2, 4, 3, 8),
                f(2, 4, 5, 8),
                f(2, 4, 5, 8),
                null,
                past,
                f(2, 4, 6, 8));
    }

    @Test
    void rotaryEmbedding() {
        Attributes heads = integer("num_heads", 2);
        takes("RotaryEmbedding", 23, heads, f(2, 3, 16), f(9, 4), f(9, 4), of(INT64, 2, 3));
        takes("RotaryEmbedding", 23, Attributes.NONE, f(2, 2, 3, 8), f(2, 3, 4), f(2, 3, 4));
        takes("RotaryEmbedding", 23, integer("rotary_embedding_dim", 4), f(2, 2, 3, 8), f(2, 3, 2), f(2, 3, 2));
        refuses("RotaryEmbedding", 23, heads, f(2, 3, 16), f(9, 3), f(9, 3), of(INT64, 2, 3));
        refuses("RotaryEmbedding", 23, heads, f(2, 3, 16), f(9, 4), f(8, 4), of(INT64, 2, 3));
        refuses("RotaryEmbedding", 23, heads, f(2, 3, 16), f(9, 4), f(9, 4), of(INT64, 2, 2));
        refuses("RotaryEmbedding", 23, Attributes.NONE, f(2, 2, 3, 8), f(9, 4), f(9, 4));
        refuses(
                "RotaryEmbedding",
                23,
                integer("rotary_embedding_dim", Integer.MAX_VALUE),
                f(2, 2, 3, 8),
                f(2, 3, 4),
                f(2, 3, 4));
    }

    @Test
    void losses() {
        for (String op : new String[] {"NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"}) {
            takes(op, 13, Attributes.NONE, f(3, 5, 2), of(INT64, 3, 2), f(5));
            refuses(op, 13, Attributes.NONE, f(3, 5, 2), of(INT64, 3, 2), f(4));
            refuses(op, 13, Attributes.NONE, f(3, 5, 2), of(INT64, 3, 3), f(5));
            refuses(op, 13, Attributes.NONE, f(3, 5), of(INT64, 2));
        }
    }

    @Test
    void normalizations() {
        takes("InstanceNormalization", 6, Attributes.NONE, f(2, 3, 4), f(3), f(3));
        refuses("InstanceNormalization", 6, Attributes.NONE, f(2, 3, 4), f(2), f(3));
        refuses("InstanceNormalization", 6, Attributes.NONE, f(2, 3, 4), f(3), f(4));
        Attributes groups = integer("num_groups", 2);
        takes("GroupNormalization", 21, groups, f(2, 4, 3), f(4), f(4));
        takes("GroupNormalization", 18, groups, f(2, 4, 3), f(2), f(2));
        refuses("GroupNormalization", 18, groups, f(2, 4, 3), f(1), f(1));
        refuses("GroupNormalization", 21, groups, f(2, 4, 3), f(4), f(2));
        refuses("GroupNormalization", 21, integer("num_groups", 3), f(2, 4, 3), f(4), f(4));
        refuses("GroupNormalization", 21, integer("num_groups", 0), f(2, 4, 3), f(4), f(4));
        takes("LayerNormalization", 17, Attributes.NONE, f(2, 3, 4), f(4), f(1));
        takes("LayerNormalization", 17, Attributes.of("stash_type", Attribute.of(0)), f(2, 3, 4), f(4));
        refuses("LayerNormalization", 17, Attributes.NONE, f(2, 3, 4), f(3));
        refuses("LayerNormalization", 17, Attributes.NONE, f(2, 3, 4), f(4), f(5, 2, 3, 4));
        refuses("RMSNormalization", 23, Attributes.NONE, f(2, 3, 4), f(3));
        takes("BatchNormalization", 15, Attributes.NONE, f(2, 3, 4), f(3), f(3), f(3), f(3));
        refuses("BatchNormalization", 15, Attributes.NONE, f(2), f(2), f(2), f(2), f(2));
        refuses("LRN", 13, integer("size", 0), f(2, 3, 4));
    }

    @Test
    void convolutions() {
        takes("Conv", 11, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 3, 3), f(4));
        refuses("Conv", 11, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 3, 3), f(3));
        refuses("Conv", 11, integer("group", Long.MAX_VALUE), f(1, 3, 5, 5), f(4, 3, 3, 3));
        refuses("Conv", 11, integer("group", Long.MAX_VALUE), f(1, 3, 5, 5), f("m", 3, 3, 3));
        refuses("ConvTranspose", 11, Attributes.NONE, f(1, 3, 5, 5), f(3, 4, 3, 3), f(3));
        refuses("ConvTranspose", 11, integer("group", 2), f(1, 3, 5, 5), f(3, 4, 3, 3));
        Attributes shaped = Attributes.of("output_shape", Attribute.of(10L, 8L));
        refuses("ConvTranspose", 11, shaped.with("strides", Attribute.of(new long[0])), f(1, 3, 5, 5), f(3, 4, 3, 3));
        In image = of(UINT8, 1, 3, 5, 5);
        In weights = of(INT8, 4, 3, 3, 3);
        takes("ConvInteger", 10, Attributes.NONE, image, weights, of(UINT8), of(INT8, 4));
        refuses("ConvInteger", 10, Attributes.NONE, image, weights, of(UINT8, 3), of(INT8, 4));
        refuses("ConvInteger", 10, Attributes.NONE, image, weights, of(UINT8), of(INT8, 3));
        In one = f();
        In zero = of(UINT8);
        takes(
                "QLinearConv",
                10,
                Attributes.NONE,
                image,
                one,
                zero,
                weights,
                f(4),
                of(INT8, 4),
                one,
                zero,
                of(INT32, 4));
        refuses(
                "QLinearConv",
                10,
                Attributes.NONE,
                image,
                one,
                zero,
                weights,
                f(3),
                of(INT8, 4),
                one,
                zero,
                of(INT32, 4));
        refuses("QLinearConv", 10, Attributes.NONE, image, one, zero, weights, one, of(INT8), one, zero, of(INT32, 3));
        takes("DeformConv", 19, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 8, 4, 4), f(4), f(1, 4, 4, 4));
        refuses("DeformConv", 19, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 7, 4, 4));
        refuses("DeformConv", 19, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 8, 5, 4));
        refuses("DeformConv", 19, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 8, 4, 4), null, f(1, 3, 4, 4));
        refuses("DeformConv", 19, integer("offset_group", 2), f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 16, 4, 4));
    }

    @Test
    void columnsOfDeformedWindowsNeedOffsetsForEachTap() {
        var columns = new OpId(OpId.MILLRACE, "DeformColumns");
        refuses(columns, 1, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 7, 4, 4));
        refuses(columns, 1, Attributes.NONE, f(2, 3, 5, 5), f(4, 3, 2, 2), f(1, 8, 4, 4));
        refuses(columns, 1, Attributes.NONE, f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 8, 4, 4), f(1, 3, 4, 4));
        refuses(columns, 1, integer("offset_group", 2), f(1, 3, 5, 5), f(4, 3, 2, 2), f(1, 16, 4, 4));
    }

    @Test
    void quantizedProductsAndQuantization() {
        In a = of(UINT8, 2, 3, 4);
        In b = of(UINT8, 2, 4, 5);
        for (In left : new In[] {of(UINT8), of(UINT8, 1), of(UINT8, 3), of(UINT8, 2, 3, 1)}) {
            takes("MatMulInteger", 10, Attributes.NONE, a, b, left, of(UINT8));
        }
        takes("MatMulInteger", 10, Attributes.NONE, a, b, of(UINT8), of(UINT8, 5));
        takes("MatMulInteger", 10, Attributes.NONE, a, b, of(UINT8), of(UINT8, 2, 1, 5));
        refuses("MatMulInteger", 10, Attributes.NONE, a, b, of(UINT8, 2), of(UINT8));
        refuses("MatMulInteger", 10, Attributes.NONE, a, b, of(UINT8), of(UINT8, 4));
        In zero = of(UINT8);
        takes("QLinearMatMul", 10, Attributes.NONE, a, f(), zero, b, f(5), of(UINT8, 5), f(), zero);
        refuses("QLinearMatMul", 10, Attributes.NONE, a, f(), zero, b, f(4), zero, f(), zero);
        refuses("QLinearMatMul", 10, Attributes.NONE, a, f(), zero, b, f(), zero, f(7), zero);
        takes("QuantizeLinear", 13, Attributes.NONE, f(2, 3), f(3), of(INT8, 3));
        takes("QuantizeLinear", 13, Attributes.NONE, f(2, 3), f(1), of(INT8));
        refuses("QuantizeLinear", 13, Attributes.NONE, f(2, 3), f(2), of(INT8, 2));
        refuses("QuantizeLinear", 13, Attributes.NONE, f(2, 3), f(3), of(INT8, 2));
        refuses("DequantizeLinear", 13, Attributes.NONE, of(INT8, 2, 3), f(3), of(INT8));
        Attributes blocks = integer("block_size", 2).with("axis", Attribute.of(0));
        takes("QuantizeLinear", 21, blocks, f(5, 3), f(3, 3), of(INT8, 3, 3));
        refuses("QuantizeLinear", 21, blocks, f(5, 3), f(2, 3), of(INT8, 2, 3));
    }

    @Test
    void recurrentNetworks() {
        Attributes units = integer("hidden_size", 4);
        In x = f(5, 2, 3);
        In w = f(1, 16, 3);
        In r = f(1, 16, 4);
        In lengths = of(INT32, 2);
        In state = f(1, 2, 4);
        takes("LSTM", 14, units, x, w, r, f(1, 32), lengths, state, state, f(1, 12));
        refuses("LSTM", 14, units, x, w, r, f(1, 16));
        refuses("LSTM", 14, units, x, f(1, 12, 3), r);
        refuses("LSTM", 14, units, x, w, r, null, of(INT32, 3));
        refuses("LSTM", 14, units, x, w, r, null, null, f(1, 1, 4));
        refuses("LSTM", 14, units, x, w, r, null, null, state, f(2, 2, 4));
        refuses("LSTM", 14, units, x, w, r, null, null, null, null, f(1, 4));
        takes("GRU", 14, units, x, f(1, 12, 3), f(1, 12, 4), f(1, 24), lengths, state);
        refuses("GRU", 14, units, x, f(1, 12, 3), f(1, 12, 4), f(1, 12));
        takes("RNN", 14, units.with("layout", Attribute.of(1)), x, f(1, 4, 3), f(1, 4, 4), null, null, f(5, 1, 4));
        refuses("RNN", 14, units, x, f(1, 4, 3), f(1, 4, 4), null, null, f(5, 1, 4));
    }

    @Test
    void boundsAndOtherSingleElements() {
        takes("Clip", 13, Attributes.NONE, f(3), f(), f(1));
        refuses("Clip", 13, Attributes.NONE, f(3), f(2));
        refuses("Clip", 13, Attributes.NONE, f(3), null, f(0));
        refuses("Trilu", 14, Attributes.NONE, f(3, 3), of(INT64, 2));
        refuses("CumSum", 14, Attributes.NONE, f(3, 3), of(INT64, 2));
        refuses("Pad", 18, Attributes.NONE, f(3), of(INT64, 2), f(2));
        refuses("OneHot", 11, Attributes.NONE, of(INT64, 3), of(INT64), f(1));
        refuses("PRelu", 16, Attributes.NONE, f(2, 3), f(2));
        refuses("Gemm", 13, Attributes.NONE, f(2, 3), f(3, 4), f(3));
    }

    @Test
    void boxesRegionsAndGrids() {
        takes("NonMaxSuppression", 11, Attributes.NONE, f(1, 6, 4), f(1, 2, 6), of(INT64, 1));
        refuses("NonMaxSuppression", 11, Attributes.NONE, f(1, 1, 6), f(1, 2, 1));
        refuses("NonMaxSuppression", 11, Attributes.NONE, f(1, 5, 4), f(1, 2, 6));
        refuses("NonMaxSuppression", 11, Attributes.NONE, f(1, 1, 1, 6, 4), f(1, 2, 6));
        takes("RoiAlign", 16, Attributes.NONE, f(1, 3, 8, 8), f(2, 4), of(INT64, 2));
        refuses("RoiAlign", 16, Attributes.NONE, f(1, 3, 8, 8), f(2, 5), of(INT64, 2));
        refuses("RoiAlign", 16, Attributes.NONE, f(1, 3, 8, 8), f(2, 4), of(INT64, 3));
        refuses("MaxRoiPool", 1, ints("pooled_shape", 2, 2), f(1, 3, 8, 8), f(2, 4));
        takes("GridSample", 20, Attributes.NONE, f(2, 3, 8, 8), f(2, 4, 4, 2));
        refuses("GridSample", 20, Attributes.NONE, f(2, 3, 8, 8), f(1, 4, 4, 2));
        refuses("GridSample", 20, Attributes.NONE, f(2, 3, 8, 8), f(2, 4, 4, 3));
    }

    @Test
    void movesAlongAnAxis() {
        takes("TensorScatter", 24, Attributes.NONE, f(2, 8, 3), f(2, 4, 3), of(INT64, 2));
        refuses("TensorScatter", 24, Attributes.NONE, f(8), f(4));
        refuses("TensorScatter", 24, Attributes.NONE, f(2, 8, 3), f(2, 9, 3));
        refuses("TensorScatter", 24, Attributes.NONE, f(2, 8, 3), f(2, 4, 2));
        refuses("TensorScatter", 24, Attributes.NONE, f(2, 8, 3), f(2, 4, 3), of(INT64, 3));
        takes("ReverseSequence", 10, Attributes.NONE, f(4, 2, 3), of(INT64, 2));
        refuses("ReverseSequence", 10, Attributes.NONE, f(), of(INT64, 1));
        refuses("ReverseSequence", 10, Attributes.NONE, f(4, 2), of(INT64, 4));
        refuses("ReverseSequence", 10, integer("time_axis", 1), f(4, 2), of(INT64, 2));
        refuses("Split", 18, integer("num_outputs", 5), f(3));
        refuses("Split", 18, integer("num_outputs", Long.MAX_VALUE), f(3));
        refuses("Expand", 13, Attributes.NONE, of(STRING, 1L << 31), of(INT64, 0));
    }

    @Test
    void stepsOfTraining() {
        OpId momentum = new OpId("ai.onnx.preview.training", "Momentum");
        refuses(momentum, 1, Attributes.NONE, f(), of(INT64), f(3), f(2), f(3));
        refuses(momentum, 1, Attributes.NONE, f(2), of(INT64), f(3), f(3), f(3));
    }

    @Test
    void columnsOfNGrams() {
        Attributes counts = ints("ngram_indexes", 0, -1);
        refuses("TfIdfVectorizer", 9, counts, of(INT64, 3));
    }

    @Test
    void valuesThatAreCarriedOrScannedAreNotOmitted() {
        var graph = new TestGraph(11);
        TestGraph body = graph.nested();
        body.output(body.node("Identity", body.input("x", FLOAT, "?")));
        graph.add(
                OpId.onnx("Scan"),
                1,
                integer("num_scan_inputs", 1).with("body", Attribute.of(body.graph())),
                new Value[] {null});
        assertThatThrownBy(graph::infer).hasMessageContaining("input 0 is omitted");
    }

    @Test
    void contentsOfOldOpsetsThatDoNotBroadcastAreNotFollowed() {
        var graph = new TestGraph(6);
        graph.node("Add", Attributes.NONE, graph.constant(1, 2, 3), graph.constant(1, 2));
        assertThatCode(graph::infer).doesNotThrowAnyException();
    }
}
