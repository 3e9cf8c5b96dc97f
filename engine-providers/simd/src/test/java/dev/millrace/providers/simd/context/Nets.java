package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Small nets of the kinds that are compiled. */
final class Nets {
    private static final int OPSET = 17;
    private static final int WIDTH = 32;
    private static final int WORDS = 40;
    private static final int SHUFFLED = 68;

    private final GraphEditor editor;
    private final Random random = new Random(7);

    private Nets(GraphEditor editor) {
        this.editor = editor;
    }

    static Tensor random(Random random, long... dims) {
        return RandomTensors.uniform(random, -0.5f, 0.5f, dims);
    }

    /** Convolutions of images with three channels; {@code height} and {@code width} may be free. */
    static Consumer<GraphEditor> convolutions(Dim height, Dim width) {
        return editor -> new Nets(editor).addConvolutions(height, width);
    }

    /** Convolutions in groups with a shuffle of channels between them, and one of every other channel, of images so wide. */
    static Consumer<GraphEditor> shuffled(Dim height, long width) {
        return editor -> new Nets(editor).addShuffled(height, width);
    }

    /** A layer of a transformer on the numbers of words. */
    static Consumer<GraphEditor> transformer() {
        return editor -> new Nets(editor).addTransformer();
    }

    /** A product by one of two matrices: which one follows from the number of rows. */
    static Consumer<GraphEditor> branches() {
        return editor -> new Nets(editor).addBranches();
    }

    private void addBranches() {
        var shape = SymbolicShape.of(Dim.symbol("rows"), Dim.of(WIDTH));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, shape));
        Value rows = op("Gather", op("Shape", x), editor.addConstant("index", Tensor.scalar(0L)));
        Value condition = op("Equal", rows, editor.addConstant("one", Tensor.scalar(1L)));
        Value shared = constant(WIDTH, WIDTH);
        NodeSpec spec = NodeSpec.of(OpId.onnx("If"), OPSET, condition)
                .with("then_branch", Attribute.of(branch(x, shared)))
                .with("else_branch", Attribute.of(branch(op("Tanh", x), null)));
        editor.addOutput("y", op("Relu", op("MatMul", add(spec), shared)));
    }

    /** A product by a matrix of its own, or by one of the graph around. */
    private Graph branch(Value x, @Nullable Value weights) {
        Graph graph = Graph.nested("branch", editor.graph());
        var inside = new GraphEditor(graph);
        Value by = weights == null ? inside.addConstant("own", random(random, WIDTH, WIDTH)) : weights;
        Node node = inside.append(NodeSpec.of(OpId.onnx("MatMul"), OPSET, x, by), List.of("product"));
        inside.addOutput("product", node.requireOutput(0));
        return graph;
    }

    private void addConvolutions(Dim height, Dim width) {
        var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.of(3), height, width);
        Value x = editor.addInput("images", ValueType.tensor(ElementType.FLOAT, shape));
        x = op("Relu", conv(x, constant(32, 3, 3, 3), 1, 2));
        Value straight = x;
        x = op("Relu", conv(x, constant(32, 32, 3, 3), 1, 1));
        x = op("Relu", conv(x, constant(32, 1, 3, 3), 32, 1));
        x = op("Add", conv(x, constant(32, 32, 1, 1), 1, 1), straight);
        x = op("GlobalAveragePool", x);
        x = op("Flatten", x);
        x = op("Gemm", x, constant(32, 10), constant(10));
        editor.addOutput("classes", op("Softmax", x));
    }

    private void addShuffled(Dim height, long width) {
        var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.of(3), height, Dim.of(width));
        Value x = editor.addInput("images", ValueType.tensor(ElementType.FLOAT, shape));
        x = op("Relu", conv(x, constant(SHUFFLED, 3, 3, 3), 1, 1));
        x = conv(x, constant(SHUFFLED, SHUFFLED / 2, 1, 1), 2, 1);
        x = op("Reshape", x, shapeOf(0, 2, SHUFFLED / 2, -1, width));
        x = op("Reshape", transposed(x, 0, 2, 1, 3, 4), shapeOf(0, SHUFFLED, -1, width));
        x = op("Relu", conv(x, constant(SHUFFLED, 1, 3, 3), SHUFFLED, 1));
        x = conv(x, constant(SHUFFLED, SHUFFLED / 2, 1, 1), 2, 1);
        editor.addOutput("all", x);
        Value every = op("Slice", x, shapeOf(0), shapeOf(SHUFFLED), shapeOf(1), shapeOf(2));
        editor.addOutput("some", conv(every, constant(24, SHUFFLED / 2, 1, 1), 1, 1));
    }

    private Value conv(Value x, Value weights, long groups, long stride) {
        long[] dims = Objects.requireNonNull(weights.constant()).shape().toArray();
        long pad = dims[2] / 2;
        NodeSpec spec = NodeSpec.of(OpId.onnx("Conv"), OPSET, x, weights, constant(dims[0]))
                .with("group", Attribute.of(groups))
                .with("strides", Attribute.of(stride, stride))
                .with("pads", Attribute.of(pad, pad, pad, pad));
        return add(spec);
    }

    private void addTransformer() {
        var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("words"));
        Value ids = editor.addInput("ids", ValueType.tensor(ElementType.INT64, shape));
        Value x = op("Gather", constant(WORDS, WIDTH), ids);
        Value q = heads(op("Add", op("MatMul", x, constant(WIDTH, WIDTH)), constant(WIDTH)));
        Value k = heads(op("MatMul", x, constant(WIDTH, WIDTH)));
        Value v = heads(op("MatMul", x, constant(WIDTH, WIDTH)));
        Value scores = op("MatMul", q, transposed(k, 0, 1, 3, 2));
        Value mixed = op("MatMul", op("Softmax", op("Mul", scores, scalar(0.25f))), v);
        Value flat = op("Reshape", transposed(mixed, 0, 2, 1, 3), shapeOf(0, 0, WIDTH));
        x = op("Add", x, op("MatMul", flat, constant(WIDTH, WIDTH)));
        x = add(NodeSpec.of(OpId.onnx("LayerNormalization"), OPSET, x, constant(WIDTH), constant(WIDTH)));
        Value inner = op("Tanh", op("MatMul", x, constant(WIDTH, 4 * WIDTH)));
        x = op("Add", x, op("MatMul", inner, constant(4 * WIDTH, WIDTH)));
        editor.addOutput("scores", scores);
        editor.addOutput("states", x);
    }

    private Value heads(Value x) {
        return transposed(op("Reshape", x, shapeOf(0, 0, 2, WIDTH / 2)), 0, 2, 1, 3);
    }

    private Value transposed(Value x, long... order) {
        return add(NodeSpec.of(OpId.onnx("Transpose"), OPSET, x).with("perm", Attribute.of(order)));
    }

    private Value shapeOf(long... dims) {
        return editor.addConstant("shape", Tensor.copyOf(dims, dims.length));
    }

    private Value scalar(float number) {
        return editor.addConstant("number", Tensor.scalar(number));
    }

    private Value constant(long... dims) {
        return editor.addConstant("weights", random(random, dims));
    }

    private Value op(String name, Value... inputs) {
        return add(NodeSpec.of(OpId.onnx(name), OPSET, inputs));
    }

    private Value add(NodeSpec spec) {
        Node node = editor.append(spec, List.of(spec.op().name()));
        return node.requireOutput(0);
    }
}
