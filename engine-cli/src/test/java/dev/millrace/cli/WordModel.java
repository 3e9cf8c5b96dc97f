package dev.millrace.cli;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.file.Path;
import java.util.List;

/** A language model that knows one next word for each word. */
final class WordModel {
    private static final float SCORE = 5;

    private WordModel() {}

    /** @param next the word that follows each word */
    static Path write(Path file, int... next) {
        int words = next.length;
        float[] table = new float[words * words];
        for (int word = 0; word < words; word++) {
            table[word * words + next[word]] = SCORE;
        }
        return Command.model(file, editor -> {
            Value ids = editor.addInput(
                    "input_ids",
                    ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"))));
            Value rows = editor.addConstant("rows", Tensor.copyOf(table, words, words));
            NodeSpec gather = NodeSpec.of(OpId.onnx("Gather"), 21, rows, ids);
            editor.addOutput("logits", editor.append(gather, List.of("logits")).requireOutput(0));
        });
    }
}
