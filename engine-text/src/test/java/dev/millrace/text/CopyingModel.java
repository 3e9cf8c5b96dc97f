package dev.millrace.text;

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
import java.util.List;
import java.util.Map;

/** An encoder whose results are its tokens, and a decoder that says them one after the other. */
final class CopyingModel {
    private static final int OPSET = 21;

    private final GraphEditor editor;
    private final int words;

    private CopyingModel(String name, int words) {
        this.editor = new GraphEditor(Graph.named(name));
        this.words = words;
    }

    static byte[] encoder(int words) {
        var model = new CopyingModel("encoder", words);
        Value ids = model.row("input_ids");
        model.row("attention_mask");
        float[] unit = new float[words * words];
        for (int i = 0; i < words; i++) {
            unit[i * words + i] = 10;
        }
        Value table = model.editor.addConstant("unit", Tensor.copyOf(unit, words, words));
        model.editor.addOutput("last_hidden_state", model.node("Gather", Attributes.NONE, table, ids));
        return model.bytes();
    }

    static byte[] decoder(int words) {
        var model = new CopyingModel("decoder", words);
        Value ids = model.row("input_ids");
        model.row("encoder_attention_mask");
        Value hidden = model.editor.addInput(
                "encoder_hidden_states",
                ValueType.tensor(
                        ElementType.FLOAT,
                        SymbolicShape.of(
                                Dim.symbol("batch_size"), Dim.symbol("encoder_sequence_length"), Dim.of(words))));
        Value place = model.node("Min", Attributes.NONE, model.last(ids), model.last(hidden));
        model.editor.addOutput("logits", model.node("Gather", Attributes.of("axis", Attribute.of(1)), hidden, place));
        return model.bytes();
    }

    /** Returns the index of the last row. */
    private Value last(Value rows) {
        Value one = editor.addConstant("one" + editor.graph().constants().size(), Tensor.copyOf(new long[] {1}, 1));
        Value length = node("Gather", Attributes.NONE, node("Shape", Attributes.NONE, rows), one);
        return node("Sub", Attributes.NONE, length, one);
    }

    private Value row(String name) {
        return editor.addInput(
                name,
                ValueType.tensor(
                        ElementType.INT64, SymbolicShape.of(Dim.symbol("batch_size"), Dim.symbol(name + "_length"))));
    }

    private Value node(String op, Attributes attributes, Value... inputs) {
        NodeSpec spec = NodeSpec.of(OpId.onnx(op), OPSET, inputs).with(attributes);
        return editor.append(spec, List.of(op + editor.graph().nodeCount())).requireOutput(0);
    }

    private byte[] bytes() {
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
    }
}
