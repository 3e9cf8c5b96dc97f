package dev.millrace.session;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Small models, as the bytes of their files. */
public final class TestModels {
    public static final int OPSET = 21;

    private TestModels() {}

    private static ValueType floats(Dim... dims) {
        return ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(dims));
    }

    public static Value node(GraphEditor editor, String op, Value... inputs) {
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), OPSET, inputs),
                        List.of(op + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    public static Model model(Graph graph) {
        return new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET),
                Map.of(),
                Map.of(),
                graph,
                null);
    }

    /** y = relu(x W + b) of so many layers, x: [batch, width]. */
    public static byte[] perceptron(int layers, int width, long seed) {
        var editor = new GraphEditor(Graph.named("perceptron"));
        var random = new Random(seed);
        Value value = editor.addInput("x", floats(Dim.symbol("batch"), Dim.of(width)));
        for (int i = 0; i < layers; i++) {
            Value weights = editor.addConstant("w" + i, random(random, width, width));
            Value bias = editor.addConstant("b" + i, random(random, width));
            value = node(editor, "Relu", node(editor, "Add", node(editor, "MatMul", value, weights), bias));
        }
        editor.setType(value, floats(Dim.symbol("batch"), Dim.of(width)));
        editor.addOutput("y", value);
        return Models.toBytes(model(editor.graph()));
    }

    /** A row of halves. */
    static Tensor halves(int width) {
        float[] x = new float[width];
        Arrays.fill(x, 0.5f);
        return Tensor.copyOf(x, 1, width);
    }

    /** Runs a model of one input x, [batch, width], on {@link #halves}, and returns the numbers of its first output. */
    static float[] answer(Session session, int width) {
        try (Outputs outputs = session.run(Inputs.of("x", halves(width)))) {
            return outputs.get(0).floats();
        }
    }

    /** y = (x + a) · w + b, each of the three a constant row; x: [batch, width]. */
    static byte[] scaledSum(int width) {
        var editor = new GraphEditor(Graph.named("scaled"));
        var random = new Random(11);
        Value x = editor.addInput("x", floats(Dim.symbol("batch"), Dim.of(width)));
        Value sum = node(editor, "Add", x, editor.addConstant("a", random(random, width)));
        Value scaled = node(editor, "Mul", sum, editor.addConstant("w", random(random, width)));
        editor.addOutput("y", node(editor, "Add", scaled, editor.addConstant("b", random(random, width))));
        return Models.toBytes(model(editor.graph()));
    }

    private static Tensor random(Random random, long... dims) {
        return RandomTensors.uniform(random, -0.125f, 0.125f, dims);
    }

    /** A convolution of 3 × 3 over images of one size, whose weights are transformed. */
    static byte[] convolution() {
        var editor = new GraphEditor(Graph.named("convolution"));
        Value x = editor.addInput("x", floats(Dim.of(1), Dim.of(32), Dim.of(24), Dim.of(24)));
        Value weights = editor.addConstant("w", random(new Random(5), 32, 32, 3, 3));
        NodeSpec spec = NodeSpec.of(OpId.onnx("Conv"), OPSET, x, weights).with("pads", Attribute.of(1, 1, 1, 1));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        return Models.toBytes(model(editor.graph()));
    }

    /** A product by a matrix of few bits, by its type. */
    static byte[] product(ElementType weights, long rows, long columns) {
        var editor = new GraphEditor(Graph.named("product"));
        boolean bytes = weights.bits() == Byte.SIZE;
        ElementType type = bytes ? ElementType.UINT8 : weights;
        Value x = editor.addInput("x", ValueType.tensor(type, SymbolicShape.of(Dim.of(1), Dim.of(rows))));
        var random = new Random(5);
        Tensor numbers = bytes
                ? RandomTensors.bits(random, weights, rows, columns)
                : RandomTensors.reals(weights, Shape.of(rows, columns), () -> random.nextDouble() - 0.5);
        Value matrix = editor.addConstant("w", numbers);
        editor.addOutput("y", node(editor, bytes ? "MatMulInteger" : "MatMul", x, matrix));
        return Models.toBytes(model(editor.graph()));
    }

    /** sum = a + b, product = a * b; both of one unknown length. */
    public static byte[] sumAndProduct() {
        var editor = new GraphEditor(Graph.named("two"));
        editor.document(DocString.of("a sum and a product"));
        Value a = editor.addInput("a", floats(Dim.symbol("n")));
        Value b = editor.addInput("b", floats(Dim.symbol("n")));
        editor.addOutput("sum", node(editor, "Add", a, b));
        editor.addOutput("product", node(editor, "Mul", a, b));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = x + (a · b), whose product of constants can be folded. */
    static byte[] foldable() {
        var editor = new GraphEditor(Graph.named("foldable"));
        Value x = editor.addInput("x", floats(Dim.of(2)));
        Value a = editor.addConstant("a", Tensor.copyOf(new float[] {2, 3}, 2));
        Value b = editor.addConstant("b", Tensor.copyOf(new float[] {5, 7}, 2));
        editor.addOutput("y", node(editor, "Add", x, node(editor, "Mul", a, b)));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = softmax(x) over the last axis. */
    static byte[] softmax() {
        var editor = new GraphEditor(Graph.named("softmax"));
        editor.addOutput(
                "y", node(editor, "Softmax", editor.addInput("x", floats(Dim.symbol("rows"), Dim.symbol("n")))));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = x + bias; the bias is an input without an axis for batches. */
    static byte[] biased(int width) {
        var editor = new GraphEditor(Graph.named("biased"));
        Value x = editor.addInput("x", floats(Dim.symbol("batch"), Dim.of(width)));
        Value bias = editor.addInput("bias", floats(Dim.of(width)));
        Value y = node(editor, "Add", x, bias);
        editor.setType(y, floats(Dim.symbol("batch"), Dim.of(width)));
        editor.addOutput("y", y);
        return Models.toBytes(model(editor.graph()));
    }

    /** all = a sequence of x alone, length = its length. */
    static byte[] listing() {
        var editor = new GraphEditor(Graph.named("listing"));
        Value all = node(editor, "SequenceConstruct", editor.addInput("x", floats(Dim.symbol("n"))));
        editor.addOutput("all", all);
        editor.addOutput("length", node(editor, "SequenceLength", all));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = x + the sum of both parts of state, stateN = state + x, for numbers of voices that have no name. */
    static byte[] voices(long width) {
        var editor = new GraphEditor(Graph.named("voices"));
        Value x = editor.addInput("x", floats(Dim.UNKNOWN, Dim.of(width)));
        Value state = editor.addInput("state", floats(Dim.of(2), Dim.UNKNOWN, Dim.of(width)));
        Value first = editor.addConstant("first", Tensor.copyOf(new long[] {0}, 1));
        Value sum = node(editor, "ReduceSum", state, first);
        editor.addOutput("y", node(editor, "Add", x, sum));
        editor.addOutput("stateN", node(editor, "Add", state, x));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = Range(0, limit, 1). */
    public static byte[] range() {
        var editor = new GraphEditor(Graph.named("range"));
        ValueType number = ValueType.tensor(ElementType.INT64, SymbolicShape.of());
        Value limit = editor.addInput("limit", number);
        Value zero = editor.addConstant("zero", Tensor.scalar(0L));
        Value one = editor.addConstant("one", Tensor.scalar(1L));
        editor.addOutput("y", node(editor, "Range", zero, limit, one));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = Clip(x, 0), where nothing is said of x, and 0 is a byte. */
    public static byte[] clipped() {
        var editor = new GraphEditor(Graph.named("clipped"));
        Value x = editor.addInput("x", null);
        Value least = editor.addConstant("least", Tensor.allocate(ElementType.INT8, Shape.SCALAR));
        editor.addOutput("y", node(editor, "Clip", x, least));
        return Models.toBytes(model(editor.graph()));
    }

    /** y = Expand(text, shape), of strings. */
    public static byte[] expandedText() {
        var editor = new GraphEditor(Graph.named("text"));
        Value text = editor.addInput("text", ValueType.tensor(ElementType.STRING, SymbolicShape.of()));
        Value shape = editor.addInput("shape", ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(1))));
        editor.addOutput("y", node(editor, "Expand", text, shape));
        return Models.toBytes(model(editor.graph()));
    }

    /** A loop that doubles x so many times as n says: long enough to be stopped. */
    static byte[] loop() {
        var editor = new GraphEditor(Graph.named("loop"));
        Value n = editor.addInput("n", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
        Value x = editor.addInput("x", floats(Dim.of(1)));
        Graph body = Graph.nested("body", editor.graph());
        var inside = new GraphEditor(body);
        inside.addInput("i", ValueType.tensor(ElementType.INT64, SymbolicShape.of()));
        Value go = inside.addInput("go", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value carried = inside.addInput("carried", floats(Dim.of(1)));
        inside.addOutput("go_on", node(inside, "Identity", go));
        inside.addOutput("next", node(inside, "Add", carried, carried));
        Value always = editor.addConstant("always", Tensor.scalar(true));
        NodeSpec spec = NodeSpec.of(OpId.onnx("Loop"), OPSET, n, always, x).with("body", Attribute.of(body));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        return Models.toBytes(model(editor.graph()));
    }
}
