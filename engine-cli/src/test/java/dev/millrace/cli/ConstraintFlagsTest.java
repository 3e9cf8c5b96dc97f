package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Dim;
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
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Constraints of {@code millrace generate}, with a model that says its last token whenever it may, else the one before. */
class ConstraintFlagsTest {
    private static final String TOKENIZER = """
        {"model": {"type": "WordLevel", "unk_token": "</s>",
          "vocab": {"the": 0, "[": 1, "]": 2, "1": 3, "\\"": 4, "a": 5, ",": 6, "aa": 7, "</s>": 8}},
         "decoder": {"type": "Fuse"},
         "added_tokens": [{"id": 8, "content": "</s>", "special": true}]}
        """;
    private static final int WORDS = 9;

    @TempDir
    private Path folder = Path.of("");

    private Path model = Path.of("");

    @BeforeEach
    void write() throws IOException {
        Files.writeString(folder.resolve("tokenizer.json"), TOKENIZER);
        float[] table = new float[WORDS * WORDS];
        for (int i = 0; i < table.length; i++) {
            table[i] = i % WORDS;
        }
        model = Command.model(folder.resolve("model.onnx"), editor -> {
            Value ids = editor.addInput(
                    "input_ids",
                    ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
            Value rows = editor.addConstant("rows", Tensor.copyOf(table, WORDS, WORDS));
            NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids);
            editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        });
    }

    private void prints(String text, Object... options) {
        Command ran = generate(options);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out()).isEqualTo(text + System.lineSeparator());
    }

    private Command generate(Object... options) {
        Object[] all = new Object[options.length + 3];
        all[0] = "generate";
        all[1] = model;
        all[2] = "the";
        System.arraycopy(options, 0, all, 3, options.length);
        return millrace(all);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("constraint.txt"), text);
    }

    @Test
    void textIsBound() throws IOException {
        prints("");
        prints("aa", "--regex", "aa|1");
        prints("1", "--regex", "1*", "-n", 1, "--stop-token", 1);
        prints("\"aaa\"", "--json-schema", file("{\"minLength\": 3, \"pattern\": \"^a{3}$\"}"));
        prints("[1,1]", "--json-schema", file("{\"items\": {\"const\": 1}, \"minItems\": 2, \"maxItems\": 2}"));
        prints("1,]", "--grammar", file("root ::= \"1\" [,] \"]\""));
        assertThat(generate("--json", "-n", 3).out()).startsWith("\"");
    }

    @Test
    void constraintsThatCannotBeAreRefused() throws IOException {
        Command two = generate("--json", "--regex", "a");
        assertThat(two.code()).isEqualTo(ExitCode.USAGE);
        assertThat(two.err()).contains("--regex and --json exclude each other");
        assertThat(generate("--json-schema", folder, "--grammar", folder).err())
                .contains("--json-schema and --grammar exclude each other");
        Command none = generate("--grammar", folder.resolve("nowhere.gbnf"));
        assertThat(none.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(none.err()).contains("there is no file or folder");
        Command unknown = generate("--json-schema", file("{\"not\": {}}"));
        assertThat(unknown.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(unknown.err()).contains("INVALID_ARGUMENT: schema.not: constrained output does not support");
    }
}
