package dev.millrace.flink;

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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Small models for the tests of this module. */
final class FlinkModels {
    private static final int OPSET = 21;

    private static final String TOKENIZER = """
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "mill": 1, "race": 2}}}
        """;

    private FlinkModels() {}

    private static Value node(GraphEditor editor, String op, Value... inputs) {
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), OPSET, inputs),
                        List.of("v" + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    private static Path write(GraphEditor editor, Path file) {
        try {
            return Files.write(
                    file,
                    Models.toBytes(new Model(
                            new Model.Header(10, "test", "1", "", 1, ""),
                            Map.of(OpId.ONNX, OPSET),
                            Map.of(),
                            Map.of(),
                            editor.graph(),
                            null)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ValueType rows(ElementType type, long... extents) {
        Dim[] dims = new Dim[extents.length + 1];
        dims[0] = Dim.symbol("batch");
        for (int i = 0; i < extents.length; i++) {
            dims[i + 1] = extents[i] < 0 ? Dim.symbol("n" + i) : Dim.of(extents[i]);
        }
        return ValueType.tensor(type, SymbolicShape.of(dims));
    }

    private static void output(GraphEditor editor, String name, Value value, ValueType type) {
        editor.setType(value, type);
        editor.addOutput(name, value);
    }

    /** y = 2 x: one number in each row. */
    static Path twice(Path folder) {
        var editor = new GraphEditor(Graph.named("twice"));
        ValueType type = rows(ElementType.INT64);
        Value x = editor.addInput("x", type);
        output(editor, "y", node(editor, "Add", x, x), type);
        return write(editor, folder.resolve("twice.onnx"));
    }

    /** Outputs of many types and shapes, each equal to its input and named {@code X_out}. */
    static Path same(Path folder, Map<String, ValueType> values) {
        var editor = new GraphEditor(Graph.named("same"));
        values.forEach((name, type) ->
                output(editor, name + "_out", node(editor, "Identity", editor.addInput(name, type)), type));
        return write(editor, folder.resolve("same.onnx"));
    }

    /** An output that equals the input. */
    static Path same(Path folder, String input, String output, ValueType type) {
        var editor = new GraphEditor(Graph.named("same"));
        output(editor, output, node(editor, "Identity", editor.addInput(input, type)), type);
        return write(editor, folder.resolve("same.onnx"));
    }

    /** A word's vector is its row of a table; the folder gets a tokenizer as well. */
    static Path words(Path folder) {
        var editor = new GraphEditor(Graph.named("words"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"))));
        Value mask = editor.addInput(
                "attention_mask",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"))));
        Value table = editor.addConstant("table", Tensor.copyOf(new float[] {1, 0, 0, 4, 3, 0}, 3, 2));
        Value known = node(editor, "Mul", ids, mask);
        output(
                editor,
                "hidden",
                node(editor, "Gather", table, known),
                ValueType.tensor(
                        ElementType.FLOAT, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"), Dim.of(2))));
        try {
            Files.writeString(folder.resolve("tokenizer.json"), TOKENIZER);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return write(editor, folder.resolve("words.onnx"));
    }

    /** y = x after so many rounds of a loop: long enough to be stopped. */
    static Path slow(Path folder) {
        var editor = new GraphEditor(Graph.named("slow"));
        ValueType number = ValueType.tensor(ElementType.INT64, SymbolicShape.of());
        ValueType one = rows(ElementType.FLOAT);
        Value rounds = editor.addConstant("rounds", Tensor.scalar(1_000_000_000L));
        Value x = editor.addInput("x", one);
        var inside = new GraphEditor(Graph.nested("body", editor.graph()));
        inside.addInput("i", number);
        Value go = inside.addInput("go", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value carried = inside.addInput("carried", one);
        inside.addOutput("go_on", node(inside, "Identity", go));
        inside.addOutput("next", node(inside, "Neg", carried));
        Value always = editor.addConstant("always", Tensor.scalar(true));
        NodeSpec loop =
                NodeSpec.of(OpId.onnx("Loop"), OPSET, rounds, always, x).with("body", Attribute.of(inside.graph()));
        output(editor, "y", editor.append(loop, List.of("y")).requireOutput(0), one);
        return write(editor, folder.resolve("slow.onnx"));
    }
}
