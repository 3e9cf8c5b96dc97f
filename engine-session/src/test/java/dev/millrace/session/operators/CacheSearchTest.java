package dev.millrace.session.operators;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches in a model of an encoder and a decoder whose attention has caches: ones that grow, and ones of fixed room. */
@Tag("reference")
class CacheSearchTest {
    private static final int HEADS = 2;
    private static final int WIDTH = 4;
    private static final Dim ROWS = Dim.symbol("rows");
    private static final Tensor GIVEN = Tensor.copyOf(new int[] {3, 4, 2, 4, 4, 3}, 2, 3);

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    /** How a decoder keeps the steps that it has seen. */
    enum Caches {
        GROWING,
        OF_FIXED_ROOM,
        WITH_BEAMS
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Value drawn(SearchGraph graph, String name, int seed, long... dims) {
        return graph.constant(name, new Draw(seed).floats(dims));
    }

    private static Value embedded(SearchGraph graph, Value words) {
        return graph.op("Gather", drawn(graph, "embeddings", 1, SearchGraph.WORDS, WIDTH), words);
    }

    private static Value projected(SearchGraph graph, Value steps, int seed) {
        return graph.op("MatMul", steps, drawn(graph, "projection" + seed, seed, WIDTH, WIDTH));
    }

    private static Value byHead(SearchGraph graph, Value steps) {
        Value shape = graph.constant("heads", Tensor.copyOf(new long[] {0, 0, HEADS, WIDTH / HEADS}, 4));
        return graph.add(graph.spec("Transpose", graph.op("Reshape", steps, shape))
                .with("perm", Attribute.of(new long[] {0, 2, 1, 3})));
    }

    private static SymbolicShape cache(String steps) {
        return SymbolicShape.of(ROWS, Dim.of(HEADS), Dim.symbol(steps), Dim.of(WIDTH / HEADS));
    }

    private static void logits(SearchGraph graph, Value steps) {
        Value scores = graph.op("MatMul", steps, drawn(graph, "words", 9, WIDTH, SearchGraph.WORDS));
        graph.output("logits", SymbolicShape.of(ROWS, Dim.of(1), Dim.of(SearchGraph.WORDS)), scores);
    }

    private static Attribute encoder() {
        var graph = new SearchGraph("encoder");
        SymbolicShape texts = SymbolicShape.of(ROWS, Dim.symbol("steps"));
        Value operand = embedded(graph, graph.input("encoder_input_ids", ElementType.INT32, texts));
        graph.input("encoder_attention_mask", ElementType.INT32, texts);
        Value first = graph.input("decoder_input_ids", ElementType.INT32, SymbolicShape.of(ROWS, Dim.of(1)));
        Value step = embedded(graph, first);
        logits(graph, projected(graph, step, 4));
        graph.output("encoder_hidden_states", SymbolicShape.of(ROWS, Dim.symbol("steps"), Dim.of(WIDTH)), operand);
        graph.output("present_key_self_0", cache("one"), byHead(graph, projected(graph, step, 3)));
        graph.output("present_value_self_0", cache("one"), byHead(graph, projected(graph, step, 4)));
        graph.output("present_key_cross_0", cache("steps"), byHead(graph, projected(graph, operand, 5)));
        graph.output("present_value_cross_0", cache("steps"), byHead(graph, projected(graph, operand, 6)));
        return graph.attribute();
    }

    private static NodeSpec attention(String name, @Nullable Value... operands) {
        return NodeSpec.of(new OpId(OpId.MICROSOFT, name), 1, operands).with("num_heads", Attribute.of(HEADS));
    }

    private static Attribute decoder(Caches caches) {
        var graph = new SearchGraph("decoder");
        Value words = graph.input("input_ids", ElementType.INT32, SymbolicShape.of(ROWS, Dim.of(1)));
        graph.input("encoder_attention_mask", ElementType.INT32, SymbolicShape.of(ROWS, Dim.symbol("steps")));
        Value keys = graph.input("past_key_self_0", ElementType.FLOAT, cache("past"));
        Value values = graph.input("past_value_self_0", ElementType.FLOAT, cache("past"));
        Value otherKeys = graph.input("past_key_cross_0", ElementType.FLOAT, cache("steps"));
        Value otherValues = graph.input("past_value_cross_0", ElementType.FLOAT, cache("steps"));
        Value step = embedded(graph, words);
        Value query = projected(graph, step, 2);
        Value key = projected(graph, step, 3);
        Value value = projected(graph, step, 4);
        NodeSpec self;
        if (caches == Caches.GROWING) {
            self = attention("MultiHeadAttention", query, key, value, null, null, null, keys, values);
        } else {
            SymbolicShape one = SymbolicShape.of(Dim.of(1));
            Value length = graph.input("past_sequence_length", ElementType.INT32, one);
            boolean beams = caches == Caches.WITH_BEAMS;
            Value width = beams ? graph.input("beam_width", ElementType.INT32, one) : null;
            SymbolicShape tables = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("beams"), Dim.symbol("room"));
            Value table = beams ? graph.input("cache_indirection", ElementType.INT32, tables) : null;
            String name = "DecoderMaskedMultiHeadAttention";
            self = attention(name, query, key, value, null, null, keys, values, length, width, table)
                    .with("past_present_share_buffer", Attribute.of(1));
        }
        List<Value> seen = graph.add(self, "attended", "present_key", "present_value");
        Value cross = graph.add(
                attention("MultiHeadAttention", projected(graph, seen.getFirst(), 7), otherKeys, otherValues));
        logits(graph, graph.op("Add", seen.getFirst(), cross));
        String steps = caches == Caches.GROWING ? "all" : "past";
        graph.output("present_key_self_0", cache(steps), seen.get(1));
        graph.output("present_value_self_0", cache(steps), seen.get(2));
        return graph.attribute();
    }

    private static OneOperator search(Caches caches, int most, int beams) {
        return OneOperator.contributed("BeamSearch")
                .with("encoder", encoder())
                .with("decoder", decoder(caches))
                .with("model_type", 1)
                .with("eos_token_id", 1)
                .with("pad_token_id", 0)
                .with("decoder_start_token_id", 2)
                .outputs(2)
                .on(GIVEN)
                .holding(ints(most), ints(most - 1), ints(beams), ints(beams))
                .holding(Tensor.copyOf(new float[] {1}, 1));
    }

    @ParameterizedTest
    @EnumSource(Caches.class)
    void cachesOfFixedRoomGiveWhatThoseThatGrowGive(Caches caches) throws Exception {
        for (int beams = 1; beams < 4; beams++) {
            Tensor[] expected = search(Caches.GROWING, 8, beams).referenceOutputs();
            search(caches, 8, beams).gives(engine, 1e-5, expected);
        }
    }

    private static SymbolicShape caches(String steps) {
        return SymbolicShape.of(Dim.of(2), ROWS, Dim.of(HEADS), Dim.symbol(steps), Dim.of(WIDTH / HEADS));
    }

    /** A decoder without an encoder, which begins with one word. */
    private static Attribute alone(boolean fixed) {
        var graph = new SearchGraph("decoder");
        SymbolicShape one = SymbolicShape.of(ROWS, Dim.of(1));
        Value words = graph.input("input_ids", ElementType.INT32, one);
        graph.input("position_ids", ElementType.INT32, one);
        graph.input("attention_mask", ElementType.INT32, SymbolicShape.of(ROWS, Dim.symbol("all")));
        Value past = graph.input("past_0", ElementType.FLOAT, caches("past"));
        Value step = embedded(graph, words);
        Value weights = drawn(graph, "together", 8, WIDTH, 3 * WIDTH);
        Value bias = drawn(graph, "bias", 7, 3 * WIDTH);
        NodeSpec self = attention("Attention", step, weights, bias, null, past);
        if (fixed) {
            Value length = graph.input("past_sequence_length", ElementType.INT32, SymbolicShape.of(Dim.of(1)));
            Value width = graph.input("beam_width", ElementType.INT32, SymbolicShape.of(Dim.of(1)));
            SymbolicShape tables = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("beams"), Dim.symbol("room"));
            Value table = graph.input("cache_indirection", ElementType.INT32, tables);
            self = attention("DecoderMaskedSelfAttention", step, weights, bias, null, past, null, length, width, table)
                    .with("past_present_share_buffer", Attribute.of(1));
        }
        List<Value> seen = graph.add(self, "attended", "present");
        logits(graph, seen.getFirst());
        graph.output("present_0", caches(fixed ? "past" : "all"), seen.get(1));
        return graph.attribute();
    }

    private static OneOperator searchAlone(boolean fixed, int beams) {
        return OneOperator.contributed("BeamSearch")
                .with("decoder", alone(fixed))
                .with("eos_token_id", 1)
                .with("pad_token_id", 0)
                .outputs(2)
                .on(Tensor.copyOf(new int[] {3, 2}, 2, 1))
                .holding(ints(7), ints(6), ints(beams), ints(beams))
                .holding(Tensor.copyOf(new float[] {1}, 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void soDoThoseOfADecoderAlone(int beams) throws Exception {
        Tensor[] expected = searchAlone(false, beams).referenceOutputs();
        searchAlone(false, beams).gives(engine, 1e-5, expected);
        searchAlone(true, beams).gives(engine, 1e-5, expected);
    }
}
