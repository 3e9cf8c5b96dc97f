package dev.millrace.providers.tests;

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
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;

/** Builds a model as a chain: each operator is applied to what the one before it gave. */
final class ModelBuilder {
    static final int OPSET = 21;

    private final String name;
    private final GraphEditor editor;
    private final Random random;
    private final ElementType type;
    private final int width;
    private final Value input;
    private final Set<String> operators = new LinkedHashSet<>();
    private Value last;
    private int names;

    ModelBuilder(String name, long seed, ElementType type, int width) {
        this.name = name;
        this.type = type;
        this.width = width;
        random = new Random(seed);
        editor = new GraphEditor(Graph.named(name));
        input = editor.addInput("x", rows(type, width));
        last = input;
    }

    /** The type of a batch of rows. */
    static ValueType rows(ElementType type, int width) {
        return ValueType.tensor(type, SymbolicShape.of(Dim.symbol("batch"), Dim.of(width)));
    }

    static byte[] bytes(Graph graph) {
        return Models.toBytes(new Model(
                new Model.Header(10, "provider tests", "1", "", 1, ""),
                Map.of(OpId.ONNX, OPSET),
                Map.of(),
                Map.of(),
                graph,
                null));
    }

    /** Multiples of a quarter between -2 and 2, whose products and sums are exact. */
    static Tensor quarters(Random random, long... dims) {
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> (random.nextInt(16) - 8) / 4.0);
    }

    Value input() {
        return input;
    }

    Value floats(long... dims) {
        return constant(quarters(random, dims));
    }

    /** Any signed bytes. */
    Value bytes(long... dims) {
        return constant(RandomTensors.bits(random, ElementType.INT8, dims));
    }

    Value scalar(float value) {
        return constant(Tensor.scalar(value));
    }

    Value zero(ElementType of, int value) {
        return constant(RandomTensors.whole(of, Shape.SCALAR, () -> value));
    }

    private Value constant(Tensor tensor) {
        return editor.addConstant("c" + names++, tensor);
    }

    void apply(String op, Value... further) {
        append(NodeSpec.of(
                OpId.onnx(op),
                OPSET,
                Stream.concat(Stream.of(last), Stream.of(further)).toArray(Value[]::new)));
    }

    void cast(ElementType to) {
        append(NodeSpec.of(OpId.onnx("Cast"), OPSET, last).with("to", Attribute.of(to.code())));
    }

    /** Applies a QLinearMatMul by a square matrix. */
    void quantisedProduct(int columns) {
        apply(
                "QLinearMatMul",
                scalar(0.25f),
                zero(ElementType.UINT8, 128),
                bytes(columns, columns),
                scalar(0.03125f),
                zero(ElementType.INT8, 3),
                scalar(1f),
                zero(ElementType.UINT8, 100));
    }

    private void append(NodeSpec spec) {
        operators.add(spec.op().name());
        last = editor.append(spec, List.of("v" + names++)).requireOutput(0);
    }

    SmallModel build() {
        editor.setType(last, rows(ElementType.FLOAT, width));
        editor.addOutput("y", last);
        return new SmallModel(name, type, width, Set.copyOf(operators), bytes(editor.graph()));
    }
}
