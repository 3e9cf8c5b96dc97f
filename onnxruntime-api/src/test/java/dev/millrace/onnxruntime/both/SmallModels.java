package dev.millrace.onnxruntime.both;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Models of one node, as bytes. Inputs are called {@code in0}, {@code in1}, outputs {@code out0}, {@code out1}. */
public final class SmallModels {
    private static final int OPSET = 21;
    private static final Map<String, Integer> OPSETS = Map.of(OpId.ONNX, OPSET, OpId.MICROSOFT, 1, OpId.ONNX_ML, 3);

    /** The weights of three classes for each of four numbers. */
    private static final float[] WEIGHTS = {0.5f, -0.25f, 1, -1, 0.75f, 0.5f, 0.25f, 1.5f, -0.5f, 0, 1, -1};

    private SmallModels() {}

    /** The sum of two matrices of {@code n} rows and two columns. */
    static byte[] sum() {
        ValueType matrix = tensor(ElementType.FLOAT, "n", 2);
        return model(OpId.onnx("Add"), Attributes.NONE, 1, matrix, matrix);
    }

    /** A matrix unchanged. */
    static byte[] identity(ElementType type) {
        return model(OpId.onnx("Identity"), Attributes.NONE, 1, tensor(type, "n", ""));
    }

    /** The three columns of a matrix, an output each. */
    static byte[] columns() {
        var attributes = Attributes.of(Map.of("axis", new Attribute.Int(1), "num_outputs", new Attribute.Int(3)));
        return model(OpId.onnx("Split"), attributes, 3, tensor(ElementType.FLOAT, "n", 3));
    }

    static byte[] cast(ElementType to) {
        var attributes = Attributes.of("to", new Attribute.Int(to.code()));
        return model(OpId.onnx("Cast"), attributes, 1, tensor(ElementType.FLOAT, "n"));
    }

    /** The sum of all elements, as a scalar. */
    static byte[] total() {
        var attributes = Attributes.of("keepdims", new Attribute.Int(0));
        return model(OpId.onnx("ReduceSum"), attributes, 1, tensor(ElementType.FLOAT, "n"));
    }

    /** A scalar with another sign. */
    static byte[] negative() {
        return model(OpId.onnx("Neg"), Attributes.NONE, 1, tensor(ElementType.FLOAT));
    }

    static byte[] pair(ElementType type) {
        return model(OpId.onnx("SequenceConstruct"), Attributes.NONE, 1, tensor(type, "n"), tensor(type, "m"));
    }

    static byte[] lengthOfSequence() {
        var sequence = new ValueType.SequenceType(tensor(ElementType.FLOAT, "n"));
        return model(OpId.onnx("SequenceLength"), Attributes.NONE, 1, sequence);
    }

    /** Each row as a map from the keys 5 and 7. */
    static byte[] mapsOfLongs() {
        var keys = Attributes.of("classlabels_int64s", new Attribute.Ints(List.of(5L, 7L)));
        return model(new OpId(OpId.ONNX_ML, "ZipMap"), keys, 1, tensor(ElementType.FLOAT, "n", 2));
    }

    /** Each row as a map from the keys a and b. */
    static byte[] mapsOfStrings() {
        var keys = Attributes.of("classlabels_strings", new Attribute.Strings(List.of(bytes("a"), bytes("b"))));
        return model(new OpId(OpId.ONNX_ML, "ZipMap"), keys, 1, tensor(ElementType.FLOAT, "n", 2));
    }

    private static Attribute.Bytes bytes(String text) {
        return new Attribute.Bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** A sparse matrix of three rows and four columns times a dense one. */
    static byte[] sparseProduct() {
        var shape = SymbolicShape.of(Dim.of(3), Dim.of(4));
        return model(
                new OpId(OpId.MICROSOFT, "SparseToDenseMatMul"),
                Attributes.NONE,
                1,
                new ValueType.SparseType(ElementType.FLOAT, shape),
                tensor(ElementType.FLOAT, 4, "m"));
    }

    /** A number doubled {@code n} times. */
    static byte[] loop() {
        var editor = new GraphEditor(Graph.named("loop"));
        Value n = editor.addInput("n", tensor(ElementType.INT64));
        Value x = editor.addInput("x", tensor(ElementType.FLOAT, 1));
        var body = new GraphEditor(Graph.nested("body", editor.graph()));
        body.addInput("i", tensor(ElementType.INT64));
        Value goesOn = body.addInput("goesOn", tensor(ElementType.BOOL));
        Value number = body.addInput("number", tensor(ElementType.FLOAT, 1));
        NodeSpec same = NodeSpec.of(OpId.onnx("Identity"), OPSET, goesOn);
        body.addOutput("same", body.append(same, List.of("same")).requireOutput(0));
        NodeSpec sum = NodeSpec.of(OpId.onnx("Add"), OPSET, number, number);
        body.addOutput("twice", body.append(sum, List.of("twice")).requireOutput(0));
        Value always = editor.addConstant("always", Tensor.scalar(true));
        NodeSpec loop = NodeSpec.of(OpId.onnx("Loop"), OPSET, n, always, x).with("body", Attribute.of(body.graph()));
        editor.addOutput("y", editor.append(loop, List.of("y")).requireOutput(0));
        return bytes(editor.graph());
    }

    static byte[] unknownOperator() {
        return model(OpId.onnx("NoSuchOperator"), Attributes.NONE, 1, tensor(ElementType.FLOAT, 2));
    }

    /** A vector plus the initializer {@code w}, which is 10 and 20. */
    static byte[] weighted(boolean isWeightInput) {
        var editor = new GraphEditor(Graph.named("weighted"));
        Value x = editor.addInput("x", tensor(ElementType.FLOAT, 2));
        Tensor weight = Tensor.copyOf(new float[] {10, 20}, 2);
        Value w = isWeightInput
                ? editor.addInput("w", tensor(ElementType.FLOAT, 2), weight)
                : editor.addConstant("w", weight);
        Node node = editor.append(NodeSpec.of(OpId.onnx("Add"), OPSET, x, w), List.of("y"));
        editor.addOutput("y", node.requireOutput(0));
        return bytes(editor.graph());
    }

    /** The probabilities of three classes for each row {@code x} of four numbers. */
    public static byte[] classes() {
        var editor = new GraphEditor(Graph.named("classes"));
        Value x = editor.addInput("x", tensor(ElementType.FLOAT, "n", 4));
        Value w = editor.addConstant("w", Tensor.copyOf(WEIGHTS, 4, 3));
        Node product = editor.append(NodeSpec.of(OpId.onnx("MatMul"), OPSET, x, w), List.of("sums"));
        NodeSpec softmax = NodeSpec.of(OpId.onnx("Softmax"), OPSET, product.requireOutput(0));
        editor.addOutput("y", editor.append(softmax, List.of("y")).requireOutput(0));
        return bytes(editor.graph());
    }

    /** The bytes, scale and zero point of a matrix {@code x}, and the product of its bytes with weights. */
    static byte[] dynamicProduct(byte[][] weights) {
        int inner = weights.length;
        int columns = weights[0].length;
        byte[] all = new byte[inner * columns];
        for (int i = 0; i < inner; i++) {
            System.arraycopy(weights[i], 0, all, i * columns, columns);
        }
        var editor = new GraphEditor(Graph.named("dynamicProduct"));
        Value x = editor.addInput("x", tensor(ElementType.FLOAT, "n", inner));
        Value w = editor.addConstant("w", Tensor.copyOf(all, inner, columns));
        List<String> names = List.of("bytes", "scale", "zero");
        Node quantised = editor.append(NodeSpec.of(OpId.onnx("DynamicQuantizeLinear"), OPSET, x), names);
        names.forEach(name -> editor.addOutput(name, quantised.requireOutput(names.indexOf(name))));
        NodeSpec product = NodeSpec.of(
                OpId.onnx("MatMulInteger"), OPSET, quantised.requireOutput(0), w, quantised.requireOutput(2));
        editor.addOutput("sums", editor.append(product, List.of("sums")).requireOutput(0));
        return bytes(editor.graph());
    }

    public static ValueType tensor(ElementType type, Object... dims) {
        return ValueType.tensor(
                type,
                new SymbolicShape(Arrays.stream(dims)
                        .map(dim -> dim instanceof String symbol ? Dim.symbol(symbol) : Dim.of((Integer) dim))
                        .toList()));
    }

    private static byte[] model(OpId op, Attributes attributes, int outputs, ValueType... inputs) {
        var editor = new GraphEditor(Graph.named("small"));
        editor.document(DocString.of("one node"));
        Value[] values = new Value[inputs.length];
        for (int i = 0; i < inputs.length; i++) {
            values[i] = editor.addInput("in" + i, inputs[i]);
        }
        List<String> names =
                IntStream.range(0, outputs).mapToObj(i -> "out" + i).toList();
        Node node =
                editor.append(NodeSpec.of(op, OPSETS.get(op.domain()), values).with(attributes), names);
        names.forEach(name -> editor.addOutput(name, node.requireOutput(names.indexOf(name))));
        return bytes(editor.graph());
    }

    private static byte[] bytes(Graph graph) {
        var header = new Model.Header(10, "maker", "1", "org.example", 7, "a small model");
        return Models.toBytes(new Model(header, OPSETS, Map.of("author", "nobody"), Map.of(), graph, null));
    }
}
