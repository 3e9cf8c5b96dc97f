package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** A model of products in a row, made node by node. */
final class Products {
    final GraphEditor editor = new GraphEditor(Graph.named("products"));
    private final Random random = new Random(5);
    private final int opset;
    private Value last;

    Products(int opset) {
        this.opset = opset;
        this.last = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(3, 64)));
    }

    /** Returns a constant of 64 by 64 random numbers. */
    Value weight(String name) {
        return editor.addConstant(name, random(64, 64));
    }

    Tensor random(int rows, int columns) {
        float[] numbers = new float[rows * columns];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return Tensor.copyOf(numbers, rows, columns);
    }

    Products then(String operator, String name, Value... more) {
        return then(operator, name, Attributes.NONE, more);
    }

    /** Adds a node that reads the last value and {@code more}. */
    Products then(String operator, String name, Attributes attributes, Value... more) {
        var operands = new ArrayList<Value>(List.of(last));
        operands.addAll(List.of(more));
        NodeSpec spec = NodeSpec.of(OpId.onnx(operator), opset, operands.toArray(Value[]::new))
                .named(name)
                .with(attributes);
        last = editor.append(spec, List.of(name + "_out")).requireOutput(0);
        return this;
    }

    Model model() {
        editor.addOutput("y", last);
        var header = new Model.Header(10, "test", "1", "", 1, DocString.of("a model of products"));
        return new Model(header, Map.of(OpId.ONNX, opset), Map.of("licence", "free"), Map.of(), editor.graph(), null);
    }

    static List<String> operators(Graph graph) {
        var operators = new ArrayList<String>();
        for (Node node : graph.nodes()) {
            operators.add(node.op().name());
        }
        return operators;
    }
}
