package dev.millrace.session.generate;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** A decoder of one layer with random weights. The last token sees the tokens before, whose keys and values are caches. */
final class SmallDecoderModel extends AttentionGraph {
    /** The form of a model. */
    enum Form {
        /** Caches that grow, for any batch. */
        GROWING,
        /** Caches that grow, for one text. */
        ONE_TEXT,
        /** Caches of GroupQueryAttention, for any batch. */
        WITH_ROOM,
        /** No caches. */
        WITHOUT_CACHES
    }

    private final Form form;

    private SmallDecoderModel(Form form, long seed) {
        super(Graph.named("decoder"), seed);
        this.form = form;
    }

    static byte[] bytes(Form form, long seed) {
        return new SmallDecoderModel(form, seed).build();
    }

    private Dim batch() {
        return form == Form.ONE_TEXT ? Dim.of(1) : Dim.symbol("batch_size");
    }

    private Value past(String name) {
        return input(
                "past_key_values.0." + name,
                ElementType.FLOAT,
                batch(),
                Dim.of(1),
                Dim.symbol("past_sequence_length"),
                Dim.of(WIDTH));
    }

    private byte[] build() {
        Value ids = input("input_ids", ElementType.INT64, batch(), Dim.symbol("sequence_length"));
        Value mask = input("attention_mask", ElementType.INT64, batch(), Dim.symbol("total_sequence_length"));
        Value x = embedded(ids);
        Value query = product(x, "query", WIDTH);
        Value key = product(x, "key", WIDTH);
        Value value = product(x, "value", WIDTH);
        Value seen = switch (form) {
            case WITH_ROOM -> grouped(mask, query, key, value);
            case WITHOUT_CACHES -> attention(head(query), head(key), head(value));
            default -> cached(query, key, value);
        };
        editor.addOutput("logits", product(node("Add", x, seen), "words", WORDS));
        return bytes();
    }

    private Value cached(Value query, Value key, Value value) {
        Attributes steps = Attributes.of("axis", Attribute.of(2));
        Value keys = node("Concat", steps, past("key"), head(key));
        Value values = node("Concat", steps, past("value"), head(value));
        editor.addOutput("present.0.key", keys);
        editor.addOutput("present.0.value", values);
        return attention(head(query), keys, values);
    }

    private Value grouped(Value mask, Value query, Value key, Value value) {
        Value one = constant(Tensor.copyOf(new long[] {1}, 1));
        Attributes ints = Attributes.of("to", Attribute.of(ElementType.INT32.code()));
        Value sum = node("ReduceSum", Attributes.of("keepdims", Attribute.of(0)), mask, one);
        Value last = node("Cast", ints, node("Sub", sum, one));
        Value total = node("Cast", ints, node("Gather", node("Shape", mask), one));
        NodeSpec spec = NodeSpec.of(
                        new OpId(OpId.MICROSOFT, "GroupQueryAttention"),
                        1,
                        query,
                        key,
                        value,
                        past("key"),
                        past("value"),
                        last,
                        total)
                .with("num_heads", Attribute.of(1))
                .with("kv_num_heads", Attribute.of(1));
        var node = editor.append(spec, List.of("seen", "present.0.key", "present.0.value"));
        editor.addOutput("present.0.key", node.requireOutput(1));
        editor.addOutput("present.0.value", node.requireOutput(2));
        return node.requireOutput(0);
    }

    /** The logits behind tokens, in double precision. */
    static double[] logits(long seed, int[] tokens) {
        float[] embedding = weights(seed, "embedding", WORDS, WIDTH);
        List<double[]> keys = new ArrayList<>();
        List<double[]> values = new ArrayList<>();
        for (int token : tokens) {
            double[] x = row(embedding, token);
            keys.add(times(x, weights(seed, "key", WIDTH, WIDTH), WIDTH));
            values.add(times(x, weights(seed, "value", WIDTH, WIDTH), WIDTH));
        }
        double[] x = row(embedding, tokens[tokens.length - 1]);
        double[] seen = attention(times(x, weights(seed, "query", WIDTH, WIDTH), WIDTH), keys, values);
        for (int i = 0; i < WIDTH; i++) {
            x[i] += seen[i];
        }
        return times(x, weights(seed, "words", WIDTH, WORDS), WORDS);
    }
}
