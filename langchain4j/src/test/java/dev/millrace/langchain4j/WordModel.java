package dev.millrace.langchain4j;

import dev.langchain4j.internal.Json;
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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The folder of a chat model whose next word follows from the last word alone. Word 3 ends answers, and word 7 is the unknown word. */
final class WordModel {
    private static final int OPSET = 21;
    private static final int END = 3;
    private static final int UNKNOWN = 7;

    private WordModel() {}

    static void write(Path folder, List<String> words, int... next) throws IOException {
        var vocabulary = new LinkedHashMap<String, Integer>();
        words.forEach(word -> vocabulary.put(word, vocabulary.size()));
        Map<String, Object> model = Map.of("type", "WordLevel", "unk_token", words.get(UNKNOWN), "vocab", vocabulary);
        write(folder, model, Map.of("type", "Whitespace"), words.get(END), next);
    }

    /** Writes a model of characters. Constraints need such tokens, which are pieces of the text. */
    static void writeCharacters(Path folder, String characters, int... next) throws IOException {
        var vocabulary = new LinkedHashMap<String, Integer>();
        for (int i = 0; i < characters.length(); i++) {
            String token = i == END ? "</s>" : characters.substring(i, i + 1);
            vocabulary.put(token, i);
        }
        Map<String, Object> model =
                Map.of("type", "BPE", "vocab", vocabulary, "merges", List.of(), "ignore_merges", false);
        write(folder, model, Map.of("type", "ByteLevel", "add_prefix_space", false), "</s>", next);
    }

    private static void write(Path folder, Map<String, Object> model, Map<String, Object> cuts, String end, int... next)
            throws IOException {
        Files.writeString(
                folder.resolve("tokenizer.json"),
                Json.toJson(Map.of(
                        "model",
                        model,
                        "pre_tokenizer",
                        cuts,
                        "decoder",
                        "ByteLevel".equals(cuts.get("type"))
                                ? cuts
                                : Map.of("type", "WordPiece", "prefix", "##", "cleanup", false),
                        "added_tokens",
                        List.of(Map.of("id", END, "content", end, "special", true)))));
        Files.writeString(
                folder.resolve("chat_template.jinja"),
                "{% for t in tools or [] %}tool {{ t.function.name }} {% endfor %}"
                        + "{% for m in messages %}{{ m.role }} {{ m.content }} {% for c in m.tool_calls or [] %}"
                        + "{{ c.function.name }} {% endfor %}{% endfor %}assistant");
        Files.writeString(
                folder.resolve("genai_config.json"),
                "{\"model\": {\"context_length\": 90, \"eos_token_id\": 3, \"decoder\": {\"filename\":"
                        + " \"model.onnx\"}}}");
        Files.write(folder.resolve("model.onnx"), model(next));
    }

    private static byte[] model(int... next) {
        float[] table = new float[next.length * next.length];
        for (int word = 0; word < next.length; word++) {
            table[word * next.length + next[word]] = 1;
        }
        var editor = new GraphEditor(Graph.named("wheel"));
        SymbolicShape tokens = SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("tokens"));
        Value ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, tokens));
        Value rows = editor.addConstant("rows", Tensor.copyOf(table, next.length, next.length));
        NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), OPSET, rows, ids);
        editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
    }
}
