package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of searches over models whose next word depends on the last one alone: 0 pads, 1 ends, 2 begins. */
@Tag("reference")
class SearchOperatorsTest {
    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor real(float value) {
        return Tensor.copyOf(new float[] {value}, 1);
    }

    private static Attribute encoder() {
        var body = new SearchGraph("encoder");
        Value value = body.words("encoder_input_ids");
        body.words("encoder_attention_mask");
        Value first = body.words("decoder_input_ids");
        body.scores(first);
        Value states = body.constant("states", Tensor.allocate(ElementType.FLOAT, Shape.of(SearchGraph.WORDS, 1)));
        body.op("Gather", "encoder_hidden_states", Shape.of(1, 1, 1), states, value);
        caches(body);
        return body.attribute();
    }

    private static void caches(SearchGraph encoder) {
        Value cache = encoder.constant("cache", Tensor.allocate(ElementType.FLOAT, Shape.of(1, 1, 1, 1)));
        for (String name : new String[] {"key_self_0", "value_self_0", "key_cross_0", "value_cross_0"}) {
            encoder.op("Identity", "present_" + name, Shape.of(1, 1, 1, 1), cache);
        }
    }

    private static Attribute decoder() {
        return decoder(true);
    }

    private static Attribute decoder(boolean masked) {
        var body = new SearchGraph("decoder");
        Value words = body.words("input_ids");
        if (masked) {
            body.words("encoder_attention_mask");
        }
        Shape cache = Shape.of(1, 1, 1, 1);
        Value keys = body.input("past_key_self_0", ElementType.FLOAT, cache);
        Value values = body.input("past_value_self_0", ElementType.FLOAT, cache);
        body.input("past_key_cross_0", ElementType.FLOAT, cache);
        body.input("past_value_cross_0", ElementType.FLOAT, cache);
        body.scores(words);
        body.op("Neg", "present_key_self_0", cache, keys);
        body.op("Neg", "present_value_self_0", cache, values);
        return body.attribute();
    }

    private static OneOperator search(int most, int least, int beams, int kept) {
        return search(most, least, beams, kept, 1);
    }

    private static OneOperator search(int most, int least, int beams, int kept, float lengthPenalty) {
        return search(most, least, beams, kept, lengthPenalty, encoder(), Tensor.copyOf(new int[] {3}, 1, 1));
    }

    private static OneOperator search(
            int most, int least, int beams, int kept, float lengthPenalty, Attribute encoder, Tensor tensor) {
        return OneOperator.contributed("BeamSearch")
                .with("encoder", encoder)
                .with("decoder", decoder())
                .with("model_type", 1)
                .with("eos_token_id", 1)
                .with("pad_token_id", 0)
                .with("decoder_start_token_id", 2)
                .outputs(2)
                .on(tensor)
                .holding(ints(most), ints(least), ints(beams), ints(kept), real(lengthPenalty));
    }

    @Test
    void theLikeliestSequencesByHand() throws Exception {
        // 2 4 ends with 0.4 * 0.9, and 2 3 4 with 0.5 * 0.25 * 0.9; the likeliest second word alone leads to neither
        // first
        Tensor sequences = search(5, 0, 2, 2).run(engine);
        assertThat(sequences.shape()).isEqualTo(Shape.of(1, 2, 5));
        assertThat(sequences.ints()).containsExactly(2, 4, 0, 0, 0, 2, 3, 4, 0, 0);
        search(5, 0, 2, 2).agrees(engine, 1e-5);
    }

    @Test
    void lengthsAndPenaltiesAreAsInOnnxRuntime() throws Exception {
        search(6, 4, 3, 2).agrees(engine, 1e-5);
        search(6, 0, 3, 3).with("early_stopping", 1).agrees(engine, 1e-5);
        search(6, 0, 2, 1, 2).holding(real(1.3f)).agrees(engine, 1e-5);
        search(7, 6, 2, 2).with("no_repeat_ngram_size", 2).agrees(engine, 1e-5);
        search(5, 0, 2, 2).holding(real(1), ints(1, 1, 1, 1, 0)).agrees(engine, 1e-5);
    }

    @Test
    void onlyPaddingInFrontIsHidden() throws Exception {
        var encoder = new SearchGraph("encoder");
        encoder.input("encoder_input_ids", ElementType.INT32, Shape.of(1, 4));
        Value mask = encoder.input("encoder_attention_mask", ElementType.INT32, Shape.of(1, 4));
        Value first = encoder.words("decoder_input_ids");
        Value there = encoder.add(encoder.spec("Cast", mask).with("to", Attribute.of(1)));
        Value count = encoder.op("Unsqueeze", encoder.op("ReduceSum", there, encoder.axes(1)), encoder.axes(2));
        Value byCount = encoder.constant("byCount", Tensor.copyOf(new float[] {0, 0, 0, -0.2f, 0.2f}, 5));
        Value scores = encoder.op("Gather", encoder.table(), first);
        encoder.op("Add", "logits", Shape.of(1, 1, 5), scores, encoder.op("Mul", count, byCount));
        encoder.op("Identity", "encoder_hidden_states", Shape.of(1, 1, 1), count);
        caches(encoder);
        OneOperator search = search(6, 0, 3, 3, 1, encoder.attribute(), Tensor.copyOf(new int[] {0, 3, 0, 0}, 1, 4));
        search.agrees(engine, 1e-5);
    }

    /** Audio input is a sequence of real numbers, and has no mask. */
    @Test
    void whatWasHeardIsSearchedUnderEitherName() throws Exception {
        for (String name : new String[] {"BeamSearch", "WhisperBeamSearch"}) {
            var encoder = new SearchGraph("encoder");
            Value heard = encoder.input("encoder_input_ids", ElementType.FLOAT, Shape.of(1, 1, 1));
            encoder.scores(encoder.words("decoder_input_ids"));
            encoder.op("Identity", "encoder_hidden_states", Shape.of(1, 1, 1), heard);
            caches(encoder);
            OneOperator.contributed(name)
                    .with("encoder", encoder.attribute())
                    .with("decoder", decoder(false))
                    .with("model_type", 2)
                    .with("eos_token_id", 1)
                    .with("pad_token_id", 0)
                    .with("decoder_start_token_id", 2)
                    .outputs(2)
                    .on(Tensor.copyOf(new float[] {3}, 1, 1, 1))
                    .holding(ints(6), ints(0), ints(3), ints(2), real(1))
                    .agrees(engine, 1e-5);
        }
    }

    @Test
    void whatCannotBeSearchedIsNamed() {
        assertThatThrownBy(() -> search(5, 0, 2, 3).run(engine)).hasMessageContaining("num_return_sequences is 3");
        assertThatThrownBy(() -> search(1, 0, 2, 2).run(engine)).hasMessageContaining("max_length is 1");
        assertThatThrownBy(() -> search(5, 0, 2, 2).with("model_type", 3).run(engine))
                .hasMessageContaining("model_type 3");
        OneOperator twoMasks = search(5, 0, 2, 2)
                .holding(real(1), ints(1, 1, 1, 1, 1), ints(1, 1, 1, 1, 1), Tensor.copyOf(new int[] {1, 1}, 2, 1));
        assertThatThrownBy(() -> twoMasks.run(engine)).hasMessageContaining("for 1 in a batch");
    }
}
