package dev.millrace.session.generate;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A language model whose most likely next token is a function of all tokens before, of the number of ones in
 * the mask and of the last position: {@code (sum of tokens + 2 sum of mask + 3 last position) mod words}.
 * Its cache is the tokens themselves.
 */
public final class SummingModel {
    public static final int WORDS = 11;
    private static final int OPSET = 21;

    private final GraphEditor editor = new GraphEditor(Graph.named("summing"));

    private SummingModel() {}

    private Value node(String op, Attributes attributes, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, inputs).with(attributes);
        return editor.append(spec, List.of(op + editor.graph().nodeCount())).requireOutput(0);
    }

    private Value node(String op, Value... inputs) {
        return node(op, Attributes.NONE, inputs);
    }

    private Value row(String name, String length) {
        var shape = SymbolicShape.of(Dim.symbol("batch_size"), Dim.symbol(length));
        return editor.addInput(name, ValueType.tensor(ElementType.INT64, shape));
    }

    private Value sum(Value of) {
        Value floats = node("Cast", Attributes.of("to", Attribute.of(ElementType.FLOAT.code())), of);
        return node("ReduceSum", Attributes.of("keepdims", Attribute.of(0L)), floats);
    }

    private Value real(float value) {
        return editor.addConstant("real" + editor.graph().nodeCount(), Tensor.scalar(value));
    }

    /** @param scale the factor of the logits; NaN makes them NaN */
    public static byte[] bytes(float scale) {
        return new SummingModel().build(scale, true);
    }

    /** Returns the model with inputs for the cache branch and for the number of logits, both of which it ignores. */
    public static byte[] merged() {
        var model = new SummingModel();
        model.editor.addInput("use_cache_branch", ValueType.tensor(ElementType.BOOL, SymbolicShape.of(Dim.of(1))));
        model.editor.addInput("num_logits_to_keep", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
        return model.build(1, true);
    }

    /** Returns the model without a cache, which needs all tokens in each step. */
    public static byte[] withoutCache() {
        return new SummingModel().build(1, false);
    }

    private byte[] build(float scale, boolean caches) {
        Value ids = row("input_ids", "sequence_length");
        Value mask = row("attention_mask", "total_sequence_length");
        Value positions = row("position_ids", "sequence_length");
        Value seen = ids;
        if (caches) {
            var shape = SymbolicShape.of(
                    Dim.symbol("batch_size"), Dim.of(1), Dim.symbol("past_sequence_length"), Dim.of(1));
            Value past = editor.addInput("past_key_values.0.key", ValueType.tensor(ElementType.INT64, shape));
            Value steps = editor.addConstant("steps", Tensor.copyOf(new long[] {1, 1, -1, 1}, 4));
            seen = node("Concat", Attributes.of("axis", Attribute.of(2L)), past, node("Reshape", ids, steps));
        }
        Value places = node("Cast", Attributes.of("to", Attribute.of(ElementType.FLOAT.code())), positions);
        Value last = node("ReduceMax", Attributes.of("keepdims", Attribute.of(0L)), places);
        Value all = node("Add", node("Add", sum(seen), node("Mul", sum(mask), real(2))), node("Mul", last, real(3)));
        Value likeliest = node("Mod", Attributes.of("fmod", Attribute.of(1L)), all, real(WORDS));
        float[] numbers = new float[WORDS];
        for (int i = 0; i < WORDS; i++) {
            numbers[i] = i;
        }
        Value words = editor.addConstant("words", Tensor.copyOf(numbers, 1, 1, WORDS));
        Value apart = node("Abs", node("Sub", words, likeliest));
        editor.addOutput("logits", node("Mul", apart, real(-scale)));
        if (caches) {
            editor.addOutput("present.0.key", seen);
        }
        return Models.toBytes(new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET),
                Map.of(),
                Map.of(),
                editor.graph(),
                null));
    }

    /** Returns the tokens that the model generates after a prompt. */
    public static long[] said(int count, long... prompt) {
        long[] all = Arrays.copyOf(prompt, prompt.length + count);
        for (int length = prompt.length; length < all.length; length++) {
            long sum = 0;
            for (int i = 0; i < length; i++) {
                sum += all[i];
            }
            all[length] = (sum + 2L * length + 3L * (length - 1)) % WORDS;
        }
        return Arrays.copyOfRange(all, prompt.length, all.length);
    }
}
