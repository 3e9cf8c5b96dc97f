package dev.millrace.spring.ai;

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
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Small models whose answers follow from tables of words. */
public final class TestModels {
    private static final int OPSET = 21;
    private static final String WORDS = """
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "[PAD]", "vocab": {"[PAD]": 0, "mill": 1, "race": 2, "water": 3}}}
        """;

    private TestModels() {}

    /** Writes an embedding model: mill is (0, 4), race is (3, 0), water is (4, 3). */
    public static Path embedding(Path folder) {
        return embedding(folder, 0, 0, 0, 4, 3, 0, 4, 3);
    }

    /** Writes an embedding model with these vectors of the words for the rest, "mill", "race" and "water". */
    public static Path embedding(Path folder, float... table) {
        var editor = new GraphEditor(Graph.named("words"));
        SymbolicShape tokens = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("tokens"));
        Value mask = editor.addInput("attention_mask", ValueType.tensor(ElementType.INT64, tokens));
        lookUp(editor, "hidden", Tensor.copyOf(table, 4, table.length / 4));
        // a second output that the mask reaches, as the input has to be used
        NodeSpec same = NodeSpec.of(OpId.onnx("Identity"), OPSET, mask);
        editor.addOutput("mask", editor.append(same, List.of("mask")).requireOutput(0));
        return write(folder, WORDS, editor);
    }

    /** Writes a cross-encoder whose score is the number of times that the two texts say water. */
    public static Path ranking(Path folder) {
        var editor = new GraphEditor(Graph.named("waters"));
        Value ids = input(editor);
        Value table = editor.addConstant("table", Tensor.copyOf(new float[] {0, 0, 0, 1}, 4, 1));
        Value each = editor.append(NodeSpec.of(OpId.onnx("Gather"), OPSET, table, ids), List.of("each"))
                .requireOutput(0);
        Value axis = editor.addConstant("axis", Tensor.copyOf(new long[] {1}, 1));
        Value zero = editor.addConstant("zero", Tensor.copyOf(new long[] {-1, 1}, 2));
        Value sum = editor.append(NodeSpec.of(OpId.onnx("ReduceSum"), OPSET, each, axis), List.of("sum"))
                .requireOutput(0);
        editor.addOutput(
                "logits",
                editor.append(NodeSpec.of(OpId.onnx("Reshape"), OPSET, sum, zero), List.of("logits"))
                        .requireOutput(0));
        return write(folder, WORDS, editor);
    }

    /** Writes a model that says "water drives wheels" after everything. */
    public static Path chat(Path folder) {
        return chat(
                folder,
                "{% for m in messages %}{{ m.role }} {{ m.content }} {% endfor %}assistant",
                List.of("water", "drives", "wheels", "</s>", "user", "assistant", "system", "why"),
                1,
                2,
                3,
                3,
                5,
                0,
                7,
                7);
    }

    /** Writes a model that asks for the tool "clock", and answers "noon" when the tool has answered. */
    public static Path chatWithTool(Path folder) {
        return chat(
                folder,
                "{% for t in tools %}{{ t.function.name }} {% endfor %}{% for m in messages %}{{ m.role }} {% endfor"
                        + " %}{% if messages[-1].role == 'tool' %}{{ messages[-1].content }}{% else %}assistant{% endif"
                        + " %}",
                List.of(
                        "{",
                        "\"name\":",
                        "\"clock\",",
                        "\"arguments\":",
                        "{}}",
                        "</s>",
                        "assistant",
                        "\"twelve\"",
                        "noon",
                        "user"),
                1,
                2,
                3,
                4,
                5,
                5,
                0,
                8,
                5,
                9);
    }

    private static Path chat(Path folder, String template, List<String> words, int... next) {
        float[] table = new float[next.length * next.length];
        for (int word = 0; word < next.length; word++) {
            table[word * next.length + next[word]] = 1;
        }
        var entries = new ArrayList<String>();
        words.forEach(word -> entries.add("\"" + word.replace("\"", "\\\"") + "\": " + entries.size()));
        int end = words.indexOf("</s>");
        String tokenizer =
                "{\"model\": {\"type\": \"WordLevel\", \"unk_token\": \"" + words.getLast() + "\", \"vocab\": {"
                        + String.join(", ", entries) + "}}, \"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"},"
                        + " \"added_tokens\": [{\"id\": " + end + ", \"content\": \"</s>\", \"special\": true}]}";
        var editor = new GraphEditor(Graph.named("wheel"));
        lookUp(editor, "logits", Tensor.copyOf(table, next.length, next.length));
        write(folder, tokenizer, editor);
        text(folder.resolve("chat_template.jinja"), template);
        text(
                folder.resolve("genai_config.json"),
                "{\"model\": {\"context_length\": 50, \"eos_token_id\": " + end
                        + ", \"decoder\": {\"filename\": \"model.onnx\"}}}");
        return folder;
    }

    private static Value input(GraphEditor editor) {
        SymbolicShape tokens = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("tokens"));
        return editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, tokens));
    }

    private static void lookUp(GraphEditor editor, String output, Tensor table) {
        Value ids = input(editor);
        Value rows = editor.addConstant("table", table);
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), OPSET, rows, ids);
        editor.addOutput(output, editor.append(gather, List.of(output)).requireOutput(0));
    }

    private static Path write(Path folder, String tokenizer, GraphEditor editor) {
        var header = new Model.Header(10, "test", "1", "", 1, "");
        byte[] model = Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
        try {
            Files.createDirectories(folder);
            Files.write(folder.resolve("model.onnx"), model);
            text(folder.resolve("tokenizer.json"), tokenizer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder;
    }

    private static void text(Path file, String text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
