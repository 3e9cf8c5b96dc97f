package dev.millrace.server;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
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

/** Small models for the server's tests, as the bytes of their files. */
final class ServerModels {
    private static final int OPSET = 21;

    private ServerModels() {}

    private static Value node(GraphEditor editor, String op, Value... inputs) {
        return node(editor, NodeSpec.of(OpId.onnx(op), OPSET, inputs));
    }

    private static Value node(GraphEditor editor, NodeSpec spec) {
        return editor.append(spec, List.of("v" + editor.graph().nodeCount())).requireOutput(0);
    }

    private static byte[] bytes(GraphEditor editor) {
        return Models.toBytes(new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET),
                Map.of(),
                Map.of(),
                editor.graph(),
                null));
    }

    private static ValueType rows(ElementType type, long width) {
        return ValueType.tensor(type, SymbolicShape.of(Dim.symbol("batch"), Dim.of(width)));
    }

    /** OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1: rows of 16 numbers. */
    static byte[] simple(ElementType type) {
        var editor = new GraphEditor(Graph.named("simple"));
        Value a = editor.addInput("INPUT0", rows(type, 16));
        Value b = editor.addInput("INPUT1", rows(type, 16));
        editor.addOutput("OUTPUT0", typed(editor, node(editor, "Add", a, b), type, 16));
        editor.addOutput("OUTPUT1", typed(editor, node(editor, "Sub", a, b), type, 16));
        return bytes(editor);
    }

    private static Value typed(GraphEditor editor, Value value, ElementType type, long width) {
        editor.setType(value, rows(type, width));
        return value;
    }

    /** y = x + by: rows of so many floats. */
    static byte[] plus(float by, long width) {
        var editor = new GraphEditor(Graph.named("plus"));
        Value x = editor.addInput("x", rows(ElementType.FLOAT, width));
        Value y = node(editor, "Add", x, editor.addConstant("by", Tensor.scalar(by)));
        editor.addOutput("y", typed(editor, y, ElementType.FLOAT, width));
        return bytes(editor);
    }

    /** y = x · w: rows of so many floats, and a square of weights that is all of one value. */
    static byte[] product(int width, float weight) {
        var editor = new GraphEditor(Graph.named("product"));
        Value x = editor.addInput("x", rows(ElementType.FLOAT, width));
        float[] weights = new float[width * width];
        Arrays.fill(weights, weight);
        Value w = editor.addConstant("w", Tensor.copyOf(weights, width, width));
        editor.addOutput("y", typed(editor, node(editor, "MatMul", x, w), ElementType.FLOAT, width));
        return bytes(editor);
    }

    /** A chain of so many nodes. */
    static byte[] chain(int nodes) {
        var editor = new GraphEditor(Graph.named("chain"));
        Value value = editor.addInput("x", rows(ElementType.FLOAT, 1));
        for (int i = 0; i < nodes; i++) {
            value = node(editor, "Tanh", value);
        }
        editor.addOutput("y", typed(editor, value, ElementType.FLOAT, 1));
        return bytes(editor);
    }

    /** y = x, of any shape with one axis. */
    static byte[] same(ElementType type) {
        var editor = new GraphEditor(Graph.named("same"));
        ValueType list = ValueType.tensor(type, SymbolicShape.of(Dim.symbol("n")));
        Value y = node(editor, "Identity", editor.addInput("x", list));
        editor.setType(y, list);
        editor.addOutput("y", y);
        return bytes(editor);
    }

    /** OUTPUT = STATE_OUT = INPUT, plus STATE_IN unless START: a running sum. */
    static byte[] sum() {
        var editor = new GraphEditor(Graph.named("sum"));
        Value input = editor.addInput("INPUT", rows(ElementType.INT32, 1));
        Value start = editor.addInput("START", rows(ElementType.INT32, 1));
        Value state = editor.addInput("STATE_IN", rows(ElementType.INT32, 1));
        Value one = editor.addConstant("one", Tensor.copyOf(new int[] {1}, 1));
        Value kept = node(editor, "Mul", state, node(editor, "Sub", one, start));
        Value sum = typed(editor, node(editor, "Add", input, kept), ElementType.INT32, 1);
        editor.addOutput("OUTPUT", sum);
        editor.addOutput("STATE_OUT", typed(editor, node(editor, "Identity", sum), ElementType.INT32, 1));
        return bytes(editor);
    }

    /** A loop that doubles x n times: long enough to be stopped. */
    static byte[] loop() {
        var editor = new GraphEditor(Graph.named("loop"));
        ValueType one = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1)));
        ValueType count = ValueType.tensor(ElementType.INT64, SymbolicShape.of());
        Value n = editor.addInput("n", count);
        Value x = editor.addInput("x", one);
        Graph body = Graph.nested("body", editor.graph());
        var inside = new GraphEditor(body);
        inside.addInput("i", count);
        Value go = inside.addInput("go", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value carried = inside.addInput("carried", one);
        inside.addOutput("go_on", node(inside, "Identity", go));
        inside.addOutput("next", node(inside, "Add", carried, carried));
        Value always = editor.addConstant("always", Tensor.scalar(true));
        NodeSpec spec = NodeSpec.of(OpId.onnx("Loop"), OPSET, n, always, x).with("body", Attribute.of(body));
        editor.addOutput("y", node(editor, spec));
        return bytes(editor);
    }

    /** A language model of so many words, in which each word has one that follows. */
    static byte[] words(int... next) {
        float[] table = new float[next.length * next.length];
        for (int word = 0; word < next.length; word++) {
            table[word * next.length + next[word]] = 1;
        }
        var editor = new GraphEditor(Graph.named("words"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        Value rows = editor.addConstant("rows", Tensor.copyOf(table, next.length, next.length));
        editor.addOutput("logits", node(editor, "Gather", rows, ids));
        return bytes(editor);
    }

    /** A model that reads two texts together and answers with their largest token. */
    static byte[] largest() {
        var editor = new GraphEditor(Graph.named("largest"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        NodeSpec floats = NodeSpec.of(OpId.onnx("Cast"), OPSET, ids).with("to", Attribute.of(ElementType.FLOAT.code()));
        Value axes = editor.addConstant("axes", Tensor.copyOf(new long[] {1}, 1));
        Value largest = node(editor, "ReduceMax", node(editor, floats), axes);
        editor.addOutput("logits", typed(editor, largest, ElementType.FLOAT, 1));
        return bytes(editor);
    }
}
