package dev.millrace.session;

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
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A model of one GroupQueryAttention whose lengths follow from a mask, as exporters write it. */
public final class CachedAttention {
    public static final int KEY_HEADS = 2;
    public static final int DEPTH = 8;
    private static final int HEADS = 4;
    private static final int OPSET = 21;

    private final GraphEditor editor = new GraphEditor(Graph.named("attention"));

    private CachedAttention() {}

    private Value node(String op, Attributes attributes, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, inputs).with(attributes);
        return editor.append(spec, List.of(op + editor.graph().nodeCount())).requireOutput(0);
    }

    private Value number(long value) {
        return editor.addConstant("n" + editor.graph().constants().size(), Tensor.copyOf(new long[] {value}, 1));
    }

    private Value input(String name, ElementType type, Dim... dims) {
        return editor.addInput(name, ValueType.tensor(type, SymbolicShape.of(dims)));
    }

    private Value cast(Value value) {
        return node("Cast", Attributes.of("to", Attribute.of(ElementType.INT32.code())), value);
    }

    /** The model: {@code x} and {@code mask} are inputs, {@code k} and {@code v} caches, whose presents are {@code k_out} and {@code v_out}. */
    public static byte[] bytes() {
        return bytes(ElementType.FLOAT);
    }

    /** @param cache the type of the caches; bytes have scales, and the model of halves has no floats */
    public static byte[] bytes(ElementType cache) {
        return new CachedAttention().build(cache, false);
    }

    /** @param readsKeys whether another node reads the cache of keys as well */
    public static byte[] bytes(boolean readsKeys) {
        return new CachedAttention().build(ElementType.FLOAT, readsKeys);
    }

    private byte[] build(ElementType ofCache, boolean readsKeys) {
        int width = (HEADS + 2 * KEY_HEADS) * DEPTH;
        boolean scaled = ofCache == ElementType.INT8;
        Value x = input("x", scaled ? ElementType.FLOAT : ofCache, Dim.of(1), Dim.symbol("now"), Dim.of(width));
        Value mask = input("mask", ElementType.INT64, Dim.of(1), Dim.symbol("all"));
        Dim[] cache = {Dim.of(1), Dim.of(KEY_HEADS), Dim.symbol("past"), Dim.of(DEPTH)};
        Value keys = input("k", ofCache, cache);
        Value values = input("v", ofCache, cache);
        Value sum = node("ReduceSum", Attributes.of("keepdims", Attribute.of(0)), mask, number(1));
        Value last = cast(node("Sub", Attributes.NONE, sum, number(1)));
        Value total = cast(node("Gather", Attributes.NONE, node("Shape", Attributes.NONE, mask), number(1)));
        var operands = new ArrayList<@Nullable Value>();
        operands.add(x);
        operands.add(null);
        operands.add(null);
        operands.addAll(List.of(keys, values, last, total));
        if (scaled) {
            operands.addAll(Collections.nCopies(5, null));
            operands.add(editor.addConstant("k_scale", Tensor.copyOf(new float[] {0.004f}, 1)));
            operands.add(editor.addConstant("v_scale", Tensor.copyOf(new float[] {0.005f}, 1)));
        }
        NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, "GroupQueryAttention"), 1, operands)
                .with("num_heads", Attribute.of(HEADS))
                .with("kv_num_heads", Attribute.of(KEY_HEADS))
                .with("k_quant_type", Attribute.of(scaled ? "PER_TENSOR" : "NONE"))
                .with("v_quant_type", Attribute.of(scaled ? "PER_TENSOR" : "NONE"));
        var node = editor.append(spec, List.of("y", "k_out", "v_out"));
        editor.addOutput("y", node.requireOutput(0));
        editor.addOutput("k_out", node.requireOutput(1));
        editor.addOutput("v_out", node.requireOutput(2));
        if (readsKeys) {
            editor.addOutput("read", node("Neg", Attributes.NONE, keys));
        }
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(
                new Model(header, Map.of("", OPSET, OpId.MICROSOFT, 1), Map.of(), Map.of(), editor.graph(), null));
    }
}
