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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Attention that projects its input itself. */
@Tag("reference")
class AttentionOperatorsTest {
    private static final double CLOSE = 2e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

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
        Value operand = editor.addInput("given", null);
        Value by = editor.addConstant("by", Tensor.scalar(factor));
        NodeSpec product = NodeSpec.of(OpId.onnx("Mul"), 21, operand, by);
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
            decoding()
                    .on(draw.floats(2, 1, 8), draw.floats(2, 1, 8), draw.floats(2, 1, 8), null, null)
                    .on(draw.floats(2, 2, 7, 4), draw.floats(2, 2, 7, 4), ints(length))
                    .agrees(engine, CLOSE);
        }
        OneOperator.contributed("DecoderMaskedMultiHeadAttention")
                .with("num_heads", 2)
                .on(draw.floats(2, 1, 8), draw.floats(2, 2, 6, 4), draw.floats(2, 2, 6, 4))
                .agrees(engine, CLOSE);
    }

    /** A step of two heads of four, in the cache's place. */
    private static OneOperator decoding() {
        return OneOperator.contributed("DecoderMaskedMultiHeadAttention")
                .with("num_heads", 2)
                .with("past_present_share_buffer", 1)
                .outputs(3);
    }

    /** The cache as each row of two texts with two beams sees it. */
    private static Tensor seen(Tensor cache, Tensor table, int steps) {
        float[] all = cache.floats();
        int[] beams = table.ints();
        int room = Math.toIntExact(cache.shape().dim(2));
        float[] seen = new float[4 * 2 * steps * 4];
        for (int row = 0; row < 4; row++) {
            for (int head = 0; head < 2; head++) {
                for (int step = 0; step < steps; step++) {
                    int source = row / 2 * 2 + beams[row * room + step];
                    int from = ((source * 2 + head) * room + step) * 4;
                    System.arraycopy(all, from, seen, ((row * 2 + head) * steps + step) * 4, 4);
                }
            }
        }
        return Tensor.copyOf(seen, 4, 2, steps, 4);
    }

    /** The cache with a step of each row, which lies by row, behind the first ones. */
    private static Tensor written(Tensor cache, Tensor step, int steps) {
        float[] all = cache.floats().clone();
        int room = Math.toIntExact(cache.shape().dim(2));
        for (int of = 0; of < 4 * 2; of++) {
            System.arraycopy(step.floats(), of * 4, all, (of * room + steps) * 4, 4);
        }
        return Tensor.copyOf(all, 4, 2, room, 4);
    }

    @Test
    void beamsSeeTheStepsOfThoseThatTheyCameFrom() throws Exception {
        int steps = 3;
        Tensor query = draw.floats(4, 1, 8);
        Tensor key = draw.floats(4, 1, 8);
        Tensor value = draw.floats(4, 1, 8);
        Tensor keys = draw.floats(4, 2, 6, 4);
        Tensor values = draw.floats(4, 2, 6, 4);
        Tensor table = draw.below(ElementType.INT32, 2, 2, 2, 6);
        Tensor attended = OneOperator.contributed("MultiHeadAttention")
                .with("num_heads", 2)
                .outputs(3)
                .on(query, key, value, null, null, null, seen(keys, table, steps), seen(values, table, steps))
                .referenceOutputs()[0];
        Tensor[] expected = {attended, written(keys, key, steps), written(values, value, steps)};
        decoding()
                .on(query, key, value, null, null, keys, values, ints(steps), ints(2), table)
                .gives(engine, CLOSE, expected);
        OneOperator.contributed("MultiHeadAttention")
                .with("num_heads", 2)
                .outputs(3)
                .on(query, key, value, null, null, null, keys, values, ints(steps), table)
                .gives(engine, CLOSE, expected);
    }

    @Test
    void beamsAsInOnnxRuntime() throws Exception {
        Tensor mask = Tensor.copyOf(new int[] {1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1}, 4, 4);
        for (int i = 0; i < 3; i++) {
            decoding()
                    .on(draw.floats(4, 1, 8), draw.floats(4, 1, 8), draw.floats(4, 1, 8))
                    .on(i == 1 ? mask : null, i == 2 ? draw.floats(1, 2, 1, 4) : null)
                    .on(draw.floats(4, 2, 6, 4), draw.floats(4, 2, 6, 4), ints(3), ints(2))
                    .on(draw.below(ElementType.INT32, 2, 2, 2, 6))
                    .agrees(engine, CLOSE);
        }
    }

    @Test
    void aStepWhoseQueriesKeysAndValuesLieTogetherHasABiasForAllOfThem() throws Exception {
        Tensor query = draw.floats(2, 1, 24);
        Tensor bias = draw.floats(24);
        Tensor cache = draw.floats(2, 2, 7, 4);
        Tensor[] parts = new Tensor[3];
        for (int i = 0; i < 3; i++) {
            float[] part = new float[16];
            for (int k = 0; k < 16; k++) {
                part[k] = query.floats()[k / 8 * 24 + i * 8 + k % 8] + bias.floats()[i * 8 + k % 8];
            }
            parts[i] = Tensor.copyOf(part, 2, 1, 8);
        }
        OneOperator apart = decoding().on(parts).on(null, null, cache, cache, ints(4));
        decoding()
                .on(query, null, null, null, null, cache, cache, ints(4), null, null, bias)
                .gives(engine, CLOSE, apart.referenceOutputs());
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

    @Test
    void aDecodersOwnStepOfTwoBeams() {
        // both beams came from the first, whose past is 3
        Tensor past = Tensor.copyOf(new float[] {0, 0, 0, 0, 3, 9, 7, 9}, 2, 2, 1, 2, 1);
        Tensor y = OneOperator.contributed("DecoderMaskedSelfAttention")
                .with("num_heads", 1)
                .with("past_present_share_buffer", 1)
                .outputs(2)
                .on(Tensor.copyOf(new float[] {5, 1}, 2, 1, 1), Tensor.copyOf(new float[] {0, 0, 1}, 1, 3), null, null)
                .on(past, null, ints(1), ints(2), Tensor.copyOf(new int[] {0, 0, 0, 0}, 1, 2, 2))
                .run(engine);
        assertThat(y.floats()).containsExactly(4, 2);
    }
}
