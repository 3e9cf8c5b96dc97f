package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches in a decoder whose next word depends on the words before, their positions and which are there. */
@Tag("reference")
class DecoderSearchTest {
    private static final Dim BATCH = Dim.symbol("batch");
    private static final Dim STEPS = Dim.symbol("steps");
    private static final Dim WORDS = Dim.of(SearchGraph.WORDS);
    private static final Tensor PROMPTS = Tensor.copyOf(new int[] {0, 2, 3, 3, 4, 2, 0, 0, 2}, 3, 3);

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor reals(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    /** @param remembered how much the words of the cache say */
    private static Attribute decoder(double remembered) {
        var graph = new SearchGraph("decoder");
        Value words = graph.input("input_ids", ElementType.INT32, SymbolicShape.of(BATCH, STEPS));
        Value positions = graph.input("position_ids", ElementType.INT32, SymbolicShape.of(BATCH, STEPS));
        Value mask = graph.input("attention_mask", ElementType.INT32, SymbolicShape.of(BATCH, Dim.symbol("all")));
        Value past = graph.input("past_0", ElementType.FLOAT, cache("past"));

        Value embeddings = graph.constant("embeddings", new Draw(3).floats(SearchGraph.WORDS, 2));
        Value embedded = graph.op("Unsqueeze", graph.op("Gather", embeddings, words), graph.axes(0, 2));
        Value both = graph.add(
                graph.spec("Concat", embedded, graph.op("Neg", embedded)).with("axis", Attribute.of(0)));
        Value present = graph.add(graph.spec("Concat", past, both).with("axis", Attribute.of(3)));
        Value keys = graph.op("Gather", present, graph.constant("first", Tensor.scalar(0L)));
        Value sums = graph.add(graph.spec("ReduceSum", keys, graph.axes(1, 2)).with("keepdims", Attribute.of(0)));

        float share = (float) remembered;
        Value weights = graph.constant("weights", new Draw(4).floats(2, SearchGraph.WORDS));
        Value memory = graph.op("Mul", graph.op("MatMul", sums, weights), graph.constant("share", reals(share)));
        Value scores =
                graph.op("Add", graph.op("Gather", graph.table(), words), graph.op("Unsqueeze", memory, graph.axes(1)));
        Value places = graph.op(
                "Mul", real(graph, positions), graph.constant("byPlace", reals(0.1f, -0.3f, 0.05f, -0.1f, 0.2f)));
        Value count = graph.op("Unsqueeze", graph.op("ReduceSum", mask, graph.axes(1)), graph.axes(2));
        Value there = graph.op(
                "Mul",
                graph.add(graph.spec("Cast", count).with("to", Attribute.of(1))),
                graph.constant("byCount", reals(0, 0.2f, 0, 0.1f, -0.1f)));
        graph.output(
                "logits",
                SymbolicShape.of(BATCH, STEPS, WORDS),
                graph.op("Add", graph.op("Add", scores, places), there));
        graph.output("present_0", cache("all"), present);
        return graph.attribute();
    }

    private static Value real(SearchGraph graph, Value positions) {
        return graph.op(
                "Unsqueeze", graph.add(graph.spec("Cast", positions).with("to", Attribute.of(1))), graph.axes(2));
    }

    private static SymbolicShape cache(String steps) {
        return SymbolicShape.of(Dim.of(2), BATCH, Dim.of(1), Dim.symbol(steps), Dim.of(2));
    }

    private static OneOperator search(String name, double remembered) {
        return OneOperator.contributed(name)
                .with("decoder", decoder(remembered))
                .with("eos_token_id", 1)
                .with("pad_token_id", 0)
                .on(PROMPTS);
    }

    private static OneOperator beams(int most, int least, int beams, int kept) {
        return search("BeamSearch", 0.3).outputs(2).holding(ints(most), ints(least), ints(beams), ints(kept), reals(1));
    }

    @Test
    void theLikeliestWordsByHand() {
        // -1.05 - 0.1 + 0.2 for 3 at place 1 with 2 words there, -1.39 + 0.2 - 0.2 for 4; then -0.95 and -1.29
        Tensor words = search("GreedySearch", 0).holding(ints(5)).run(engine);
        assertThat(words.shape()).isEqualTo(Shape.of(3, 5));
        assertThat(words.ints()).startsWith(0, 2, 3, 3, 3);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6, 9})
    void beamsAreAsInOnnxRuntime(int most) throws Exception {
        beams(most, 0, 1, 1).agrees(engine, 1e-5);
        beams(most, 4, 3, 2).agrees(engine, 1e-5);
        beams(most, most - 1, 4, 4).with("no_repeat_ngram_size", 2).agrees(engine, 1e-5);
        beams(most, 0, 2, 1).holding(reals(1.3f), ints(1, 1, 1, 1, 0)).agrees(engine, 1e-5);
    }

    @Test
    void theScoresOfEachStepAreAsInOnnxRuntime() throws Exception {
        beams(8, 7, 3, 2).outputs(3).agrees(engine, 1e-4);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.3, 2})
    void theLikeliestWordsAreAsInOnnxRuntime(double remembered) throws Exception {
        search("GreedySearch", remembered).holding(ints(9), ints(9)).agrees(engine, 0);
        search("GreedySearch", remembered)
                .holding(ints(9), ints(9), reals(1.4f))
                .agrees(engine, 0);
        search("GreedySearch", remembered)
                .holding(ints(9), ints(9), reals(1), ints(1, 1, 0, 1, 1))
                .with("no_repeat_ngram_size", 2)
                .agrees(engine, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 7, 12345, Integer.MAX_VALUE})
    void theSameSeedDrawsTheSameWordsAsOnnxRuntime(int seed) throws Exception {
        for (int custom = 0; custom <= 1; custom++) {
            for (float share : new float[] {0.5f, 0.8f, 0.99f}) {
                search("Sampling", 0.3)
                        .with("custom", custom)
                        .with("top_p", share)
                        .with("temperature", 1.5f)
                        .holding(ints(12), ints(12), reals(1.1f))
                        .on(null, null, null, null)
                        .holding(ints(seed))
                        .agrees(engine, 0);
            }
        }
    }

    @Test
    void whatCannotBeSearchedIsNamed() {
        assertThatThrownBy(() -> search("GreedySearch", 0).holding(ints(3)).run(engine))
                .hasMessageContaining("max_length is 3");
        assertThatThrownBy(() -> search("Sampling", 0)
                        .with("model_type", 1)
                        .holding(ints(5))
                        .run(engine))
                .hasMessageContaining("model_type 1");
        assertThatThrownBy(() -> search("GreedySearch", 0)
                        .with("vocab_size", 9)
                        .holding(ints(5))
                        .run(engine))
                .hasMessageContaining("9 words");
    }
}
