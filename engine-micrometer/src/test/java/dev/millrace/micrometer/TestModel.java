package dev.millrace.micrometer;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** A model of one node. */
final class TestModel {
    private TestModel() {}

    /** A language model of five tokens that says 2 after 1, and so on, and 0 after the last one. */
    static byte[] counter() {
        int words = 5;
        float[] table = new float[words * words];
        for (int i = 0; i < words; i++) {
            table[i * words + (i + 1) % words] = 1;
        }
        var editor = new GraphEditor(Graph.named("counter"));
        var ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
        var rows = editor.addConstant("rows", Tensor.copyOf(table, words, words));
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids);
        editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        return bytes(editor);
    }

    static byte[] relu() {
        var editor = new GraphEditor(Graph.named("relu"));
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2))));
        editor.addOutput(
                "y", editor.append(NodeSpec.of(OpId.RELU, 21, x), List.of("y")).requireOutput(0));
        return bytes(editor);
    }

    private static byte[] bytes(GraphEditor editor) {
        var header = new Model.Header(10, "", "", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null));
    }
}
