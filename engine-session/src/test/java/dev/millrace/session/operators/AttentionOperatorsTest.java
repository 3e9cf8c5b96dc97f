package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Attention that projects its input itself. */
class AttentionOperatorsTest {
    private static final double CLOSE = 2e-5;

    @AutoClose
    private final Engine engine = Engine.create(EngineOptions.defaults().withThreads(1));

    private final Draw draw = new Draw(73);

    /** Two heads of four over five steps. */
    private OneOperator attention() {
        return OneOperator.contributed("Attention")
                .with("num_heads", 2)
                .on(draw.floats(2, 5, 6))
                .holding(draw.floats(6, 24), draw.floats(24));
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    @Test
    void twoStepsByHand() {
        Tensor weights = Tensor.copyOf(new float[] {0, 0, 1}, 1, 3);
        Tensor y = OneOperator.contributed("Attention")
                .with("num_heads", 1)
                .on(Tensor.copyOf(new float[] {2, 4}, 1, 2, 1), weights)
                .run(engine);
        // all scores are zero, so that both steps see the mean
        assertThat(y.floats()).containsExactly(3, 3);
    }

    /** A graph that multiplies what it is given by a number. */
    private static Attribute product(float factor) {
        var editor = new GraphEditor(Graph.named("product"));
        Value given = editor.addInput("given", null);
        Value by = editor.addConstant("by", Tensor.scalar(factor));
        NodeSpec product = NodeSpec.of(OpId.onnx("Mul"), 21, given, by);
        editor.addOutput("made", editor.append(product, List.of("made")).requireOutput(0));
        return Attribute.of(editor.graph());
    }

    @Test
    void scoresAndProbabilitiesGoThroughGraphs() {
        Tensor queries = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 2, 2, 1);
        Tensor keys = Tensor.copyOf(new float[] {0, 1}, 1, 1, 2, 1);
        Tensor values = Tensor.copyOf(new float[] {2, 6}, 1, 1, 2, 1);
        // without scores both steps see the mean, of which the second graph makes three times as much
        Tensor mean = OneOperator.preview("FlexAttention")
                .with("score_mod", product(0))
                .with("prob_mod", product(3))
                .on(queries, keys, values)
                .run(engine);
        assertThat(mean.floats()).containsExactly(12, 12, 12, 12);
        // with enormous ones they see the step of the larger key
        Tensor last = OneOperator.preview("FlexAttention")
                .with("score_mod", product(1000))
                .with("scale", 1f)
                .on(queries, keys, values)
                .run(engine);
        assertThat(last.floats()).containsExactly(6, 6, 6, 6);
    }

    @Test
    void withoutAMask() throws Exception {
        attention().agrees(engine, CLOSE);
        attention().with("scale", 0.3f).agrees(engine, CLOSE);
        attention().with("unidirectional", 1).agrees(engine, CLOSE);
        OneOperator.contributed("Attention")
                .with("num_heads", 2)
                .list("qkv_hidden_sizes", 8, 8, 12)
                .on(draw.floats(2, 5, 6), draw.floats(6, 28), draw.floats(28))
                .agrees(engine, CLOSE);
    }

    @Test
    void masks() throws Exception {
        attention().on(ints(3, 5)).agrees(engine, CLOSE);
        attention().on(ints(4, 5, 1, 2)).agrees(engine, CLOSE);
        Tensor keys = Tensor.copyOf(new int[] {1, 1, 1, 0, 0, 1, 1, 0, 1, 1}, 2, 5);
        attention().on(keys).agrees(engine, CLOSE);
        attention().with("unidirectional", 1).on(keys).agrees(engine, CLOSE);
        attention().with("mask_filter_value", -100f).on(keys).agrees(engine, CLOSE);
        attention().on(draw.below(ElementType.INT32, 2, 2, 5, 5)).agrees(engine, CLOSE);
    }

    @Test
    void aPastAndABiasOfScores() throws Exception {
        attention().on(null, null, draw.floats(2, 2, 5, 5)).agrees(engine, CLOSE);
        attention().on(null, null, draw.floats(1, 2, 5, 5)).agrees(engine, CLOSE);
        attention().outputs(2).on(null, draw.floats(2, 2, 2, 3, 4)).agrees(engine, CLOSE);
        attention()
                .with("unidirectional", 1)
                .outputs(2)
                .on(null, draw.floats(2, 2, 2, 3, 4))
                .agrees(engine, CLOSE);
        attention()
                .with("unidirectional", 1)
                .outputs(2)
                .on(draw.below(ElementType.INT32, 2, 2, 8), draw.floats(2, 2, 2, 3, 4))
                .agrees(engine, CLOSE);
    }

    @Test
    void ofBytes() throws Exception {
        for (long[] columns : new long[][] {{}, {24}}) {
            OneOperator bytes = OneOperator.contributed("QAttention")
                    .with("num_heads", 2)
                    .on(draw.below(ElementType.UINT8, 100, 2, 5, 6))
                    .holding(draw.below(ElementType.INT8, 60, 6, 24))
                    .holding(draw.floats(24), Draw.scale(0.01), draw.scales(columns))
                    .on(ints(3, 5))
                    .holding(Draw.one(ElementType.UINT8, 50), draw.below(ElementType.INT8, 9, columns));
            bytes.agrees(engine, 1e-4);
        }
        OneOperator.contributed("QAttention")
                .with("num_heads", 2)
                .with("unidirectional", 1)
                .outputs(2)
                .on(draw.below(ElementType.UINT8, 100, 2, 5, 6))
                .holding(draw.below(ElementType.INT8, 60, 6, 24), draw.floats(24), Draw.scale(0.01), Draw.scale(0.02))
                .on(null, null, null, draw.floats(2, 2, 2, 3, 4))
                .agrees(engine, 1e-4);
    }

    @Test
    void oneStepAtATime() throws Exception {
        for (int length : new int[] {3, 6}) {
            OneOperator.contributed("DecoderMaskedMultiHeadAttention")
                    .with("num_heads", 2)
                    .with("past_present_share_buffer", 1)
                    .outputs(3)
                    .on(draw.floats(2, 1, 8), draw.floats(2, 1, 8), draw.floats(2, 1, 8), null, null)
                    .on(draw.floats(2, 2, 7, 4), draw.floats(2, 2, 7, 4), ints(length))
                    .agrees(engine, CLOSE);
        }
        OneOperator.contributed("DecoderMaskedMultiHeadAttention")
                .with("num_heads", 2)
                .on(draw.floats(2, 1, 8), draw.floats(2, 2, 6, 4), draw.floats(2, 2, 6, 4))
                .agrees(engine, CLOSE);
    }

    @Test
    void whatIsNotDoneIsRefusedByName() {
        OneOperator rotary = attention().with("do_rotary", 1);
        assertThatThrownBy(() -> rotary.run(engine)).hasMessageContaining("rotary embeddings");
    }

    private static Tensor cache(float... values) {
        return Tensor.copyOf(values, 1, 1, values.length, 1);
    }

    @Test
    void aCacheMayBeLargerThanItsContent() {
        Tensor one = Tensor.copyOf(new float[] {0}, 1, 1, 1);
        Tensor five = Tensor.copyOf(new float[] {5}, 1, 1, 1);
        OneOperator heads = OneOperator.contributed("MultiHeadAttention")
                .with("num_heads", 1)
                .outputs(3)
                .on(one, one, five, null, null, null, cache(0, 0, 0), cache(3, 9, 9), ints(1));
        // a mean of the one value of the past and of that of this step
        assertThat(heads.run(engine).floats()).containsExactly(4);
    }

    @Test
    void aDecodersOwnStep() {
        Tensor past = Tensor.copyOf(new float[] {0, 0, 0, 3, 9, 9}, 2, 1, 1, 3, 1);
        Tensor y = OneOperator.contributed("DecoderMaskedSelfAttention")
                .with("num_heads", 1)
                .with("past_present_share_buffer", 1)
                .outputs(2)
                .on(Tensor.copyOf(new float[] {5}, 1, 1, 1), Tensor.copyOf(new float[] {0, 0, 1}, 1, 3), null, null)
                .on(past, null, ints(1))
                .run(engine);
        assertThat(y.floats()).containsExactly(4);
    }
}
