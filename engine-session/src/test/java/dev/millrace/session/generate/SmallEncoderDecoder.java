package dev.millrace.session.generate;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;

/** An encoder and a decoder of one layer with random weights, whose inputs and outputs have the names of Optimum's exports. */
final class SmallEncoderDecoder {
    private static final int WIDTH = AttentionGraph.WIDTH;
    private static final int WORDS = AttentionGraph.WORDS;
    private static final Dim BATCH = Dim.symbol("batch_size");

    private final AttentionGraph graph;

    private SmallEncoderDecoder(Graph graph, long seed) {
        this.graph = new AttentionGraph(graph, seed);
    }

    /** The results of a decoder, by names. */
    private static final class Results extends LinkedHashMap<String, Value> {}

    static byte[] encoder(long seed) {
        var graph = new AttentionGraph(Graph.named("encoder"), seed);
        Value ids = graph.input("input_ids", ElementType.INT64, BATCH, Dim.symbol("encoder_sequence_length"));
        graph.input("attention_mask", ElementType.INT64, BATCH, Dim.symbol("encoder_sequence_length"));
        graph.editor.addOutput("last_hidden_state", graph.product(graph.embedded(ids), "encoder", WIDTH));
        return graph.bytes();
    }

    /** Returns the decoder of the first step. */
    static byte[] first(long seed) {
        var model = new SmallEncoderDecoder(Graph.named("first"), seed);
        Inputs inputs = model.inputs();
        model.first(inputs).forEach(model.graph.editor::addOutput);
        return model.graph.bytes();
    }

    /** Returns the decoder of further steps. */
    static byte[] later(long seed) {
        var model = new SmallEncoderDecoder(Graph.named("later"), seed);
        Value ids = model.row("input_ids", "decoder_sequence_length");
        Value mask = model.row("encoder_attention_mask", "encoder_sequence_length");
        Results results = model.later(ids, mask, model.caches());
        results.forEach(model.graph.editor::addOutput);
        return model.graph.bytes();
    }

    /** Returns a decoder that has both as branches. Its later steps give empty caches of the encoder's results. */
    static byte[] merged(long seed) {
        var model = new SmallEncoderDecoder(Graph.named("merged"), seed);
        Inputs inputs = model.inputs();
        List<Value> caches = model.caches();
        Value branch = model.graph.input("use_cache_branch", ElementType.BOOL, Dim.of(1));
        var first = new SmallEncoderDecoder(Graph.nested("without", model.graph.editor.graph()), seed);
        Results results = first.first(inputs);
        results.forEach(first.graph.editor::addOutput);
        var later = new SmallEncoderDecoder(Graph.nested("with", model.graph.editor.graph()), seed);
        Results rest = later.later(inputs.ids(), inputs.mask(), caches);
        Value none = later.graph.constant(Tensor.allocate(ElementType.FLOAT, Shape.of(0, 1, 1, WIDTH)));
        rest.put("present.0.encoder.key", later.graph.node("Identity", none));
        rest.put("present.0.encoder.value", later.graph.node("Identity", none));
        rest.forEach(later.graph.editor::addOutput);
        NodeSpec choice = NodeSpec.of(OpId.onnx("If"), AttentionGraph.OPSET, model.graph.node("Squeeze", branch))
                .with("then_branch", Attribute.of(later.graph.editor.graph()))
                .with("else_branch", Attribute.of(first.graph.editor.graph()));
        List<String> names = List.copyOf(results.keySet());
        var node = model.graph.editor.append(choice, new ArrayList<>(names));
        for (int i = 0; i < names.size(); i++) {
            Value output = node.requireOutput(i);
            int rank = i == 0 ? 3 : 4;
            Dim[] open = new Dim[rank];
            Arrays.setAll(open, axis -> Dim.symbol(names.get(0) + output.name() + axis));
            model.graph.editor.setType(output, ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(open)));
            model.graph.editor.addOutput(names.get(i), output);
        }
        return model.graph.bytes();
    }

    private record Inputs(Value ids, Value hidden, Value mask) {}

    private Value row(String name, String length) {
        return graph.input(name, ElementType.INT64, BATCH, Dim.symbol(length));
    }

    private Inputs inputs() {
        Value ids = row("input_ids", "decoder_sequence_length");
        Value hidden = graph.input(
                "encoder_hidden_states",
                ElementType.FLOAT,
                BATCH,
                Dim.symbol("encoder_sequence_length"),
                Dim.of(WIDTH));
        return new Inputs(ids, hidden, row("encoder_attention_mask", "encoder_sequence_length"));
    }

    private List<Value> caches() {
        var all = new ArrayList<Value>();
        for (String of : List.of("decoder", "encoder")) {
            Dim steps = Dim.symbol(of.equals("decoder") ? "past_decoder_sequence_length" : "encoder_sequence_length");
            for (String kind : List.of("key", "value")) {
                String name = "past_key_values.0." + of + "." + kind;
                all.add(graph.input(name, ElementType.FLOAT, BATCH, Dim.of(1), steps, Dim.of(WIDTH)));
            }
        }
        return all;
    }

    private Results first(Inputs inputs) {
        Value x = graph.embedded(inputs.ids());
        Value keys = graph.head(graph.product(x, "key", WIDTH));
        Value values = graph.head(graph.product(x, "value", WIDTH));
        Value crossKeys = graph.head(graph.product(inputs.hidden(), "crossKey", WIDTH));
        Value crossValues = graph.head(graph.product(inputs.hidden(), "crossValue", WIDTH));
        Results results = logits(x, keys, values, crossKeys, crossValues, inputs.mask());
        results.put("present.0.encoder.key", crossKeys);
        results.put("present.0.encoder.value", crossValues);
        return results;
    }

    private Results later(Value ids, Value mask, List<Value> caches) {
        Value x = graph.embedded(ids);
        Attributes steps = Attributes.of("axis", Attribute.of(2));
        Value keys = graph.node("Concat", steps, caches.get(0), graph.head(graph.product(x, "key", WIDTH)));
        Value values = graph.node("Concat", steps, caches.get(1), graph.head(graph.product(x, "value", WIDTH)));
        return logits(x, keys, values, caches.get(2), caches.get(3), mask);
    }

    private Results logits(Value x, Value keys, Value values, Value crossKeys, Value crossValues, Value mask) {
        Value own = graph.attention(graph.head(graph.product(x, "query", WIDTH)), keys, values);
        Value y = graph.node("Add", x, own);
        Attributes floats = Attributes.of("to", Attribute.of(ElementType.FLOAT.code()));
        Value absent = graph.node("Sub", graph.node("Cast", floats, mask), graph.constant(Tensor.scalar(1f)));
        Value bias = graph.node("Mul", absent, graph.constant(Tensor.scalar(1e9f)));
        Value places = graph.constant(Tensor.copyOf(new long[] {1, 2}, 2));
        Value cross = graph.attention(
                graph.head(graph.product(y, "crossQuery", WIDTH)),
                crossKeys,
                crossValues,
                graph.node("Unsqueeze", bias, places));
        var results = new Results();
        results.put("logits", graph.product(graph.node("Add", y, cross), "words", WORDS));
        results.put("present.0.decoder.key", keys);
        results.put("present.0.decoder.value", values);
        return results;
    }

    /**
     * The logits behind tokens, in double precision.
     *
     * @param text the tokens of the encoder that its mask keeps
     */
    static double[] logits(long seed, int[] text, int[] tokens) {
        List<double[]> crossKeys = new ArrayList<>();
        List<double[]> crossValues = new ArrayList<>();
        for (int token : text) {
            double[] hidden = times(seed, embedding(seed, token), "encoder");
            crossKeys.add(times(seed, hidden, "crossKey"));
            crossValues.add(times(seed, hidden, "crossValue"));
        }
        List<double[]> keys = new ArrayList<>();
        List<double[]> values = new ArrayList<>();
        for (int token : tokens) {
            keys.add(times(seed, embedding(seed, token), "key"));
            values.add(times(seed, embedding(seed, token), "value"));
        }
        double[] x = embedding(seed, tokens[tokens.length - 1]);
        double[] y = sum(x, AttentionGraph.attention(times(seed, x, "query"), keys, values));
        double[] seen = AttentionGraph.attention(times(seed, y, "crossQuery"), crossKeys, crossValues);
        return AttentionGraph.times(sum(y, seen), AttentionGraph.weights(seed, "words", WIDTH, WORDS), WORDS);
    }

    private static double[] embedding(long seed, int token) {
        return AttentionGraph.row(AttentionGraph.weights(seed, "embedding", WORDS, WIDTH), token);
    }

    private static double[] times(long seed, double[] row, String name) {
        return AttentionGraph.times(row, AttentionGraph.weights(seed, name, WIDTH, WIDTH), WIDTH);
    }

    private static double[] sum(double[] a, double[] b) {
        double[] sum = new double[a.length];
        Arrays.setAll(sum, i -> a[i] + b[i]);
        return sum;
    }
}
