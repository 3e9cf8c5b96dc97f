package dev.millrace.example.npu;

import dev.millrace.graph.format.Models;
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
import dev.millrace.session.Inputs;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Models of quantised products, as a user of an NPU has them. */
final class QuantisedModels {
    private static final int OPSET = 21;
    private static final int WIDTH = 128;

    private QuantisedModels() {}

    /** y = layers of quantised products of x, [batch, 128]; models of the same seed share the weights of their first layers. */
    static byte[] layers(int layers, long seed) {
        var random = new Random(seed);
        var editor = new GraphEditor(Graph.named("quantised"));
        Value last = editor.addInput("x", type());
        for (int i = 0; i < layers; i++) {
            Value scale = editor.addConstant("scale" + i, Tensor.scalar(0.25f));
            Value zero = editor.addConstant("zero" + i, number(ElementType.UINT8, 128));
            Value weights =
                    editor.addConstant("weights" + i, RandomTensors.bits(random, ElementType.INT8, WIDTH, WIDTH));
            Value ofWeights = editor.addConstant("scale of weights" + i, Tensor.scalar(0.0078125f));
            Value zeroOfWeights = editor.addConstant("zero of weights" + i, number(ElementType.INT8, 0));
            Value steps = append(editor, "QuantizeLinear", last, scale, zero);
            Value product =
                    append(editor, "QLinearMatMul", steps, scale, zero, weights, ofWeights, zeroOfWeights, scale, zero);
            last = append(editor, "Relu", append(editor, "DequantizeLinear", product, scale, zero));
        }
        editor.setType(last, type());
        editor.addOutput("y", last);
        var header = new Model.Header(10, "example", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, OPSET), Map.of(), Map.of(), editor.graph(), null));
    }

    private static ValueType type() {
        return ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("batch"), Dim.of(WIDTH)));
    }

    private static Tensor number(ElementType type, int value) {
        return RandomTensors.whole(type, Shape.SCALAR, () -> value);
    }

    private static Value append(GraphEditor editor, String op, Value... inputs) {
        String name = op + editor.graph().nodeCount();
        return editor.append(NodeSpec.of(OpId.onnx(op), OPSET, inputs), List.of(name))
                .requireOutput(0);
    }

    static Inputs inputs() {
        var random = new Random(1);
        return Inputs.of(
                "x", RandomTensors.reals(ElementType.FLOAT, Shape.of(2, WIDTH), () -> (random.nextInt(64) - 32) / 4.0));
    }
}
