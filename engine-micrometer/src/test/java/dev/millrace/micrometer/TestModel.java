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
import java.util.List;
import java.util.Map;

/** A model of one node. */
final class TestModel {
    private TestModel() {}

    static byte[] relu() {
        var editor = new GraphEditor(Graph.named("relu"));
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2))));
        editor.addOutput(
                "y", editor.append(NodeSpec.of(OpId.RELU, 21, x), List.of("y")).requireOutput(0));
        var header = new Model.Header(10, "", "", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null));
    }
}
