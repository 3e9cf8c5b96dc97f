package dev.millrace.djl;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
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
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** Small models that tests write. */
final class MadeModels {
    static final int WORDS = 20;
    static final int WIDTH = 6;
    static final int CLASSES = 5;

    private MadeModels() {}

    static float[] random(int size, long seed) {
        var random = new Random(seed);
        float[] values = new float[size];
        for (int i = 0; i < size; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return values;
    }

    private static Path write(Path file, Consumer<GraphEditor> made) {
        var editor = new GraphEditor(Graph.named("made"));
        made.accept(editor);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Models.write(
                new Model(header, Map.of(OpId.ONNX, 21), Map.of(), Map.of(), editor.graph(), null),
                file,
                WriteOptions.inline());
        return file;
    }

    private static Value append(GraphEditor editor, NodeSpec node, String output) {
        return editor.append(node, List.of(output)).requireOutput(0);
    }

    /** Vectors of words: {@code last_hidden_state} is a row of a table for each of {@code input_ids}. */
    static Path words(Path file) {
        return write(file, editor -> {
            var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.symbol("sequence"));
            Value ids = editor.addInput("input_ids", ValueType.tensor(ElementType.INT64, shape));
            Value mask = editor.addInput("attention_mask", ValueType.tensor(ElementType.INT64, shape));
            Value table = editor.addConstant("table", Tensor.copyOf(random(WORDS * WIDTH, 1), WORDS, WIDTH));
            editor.addOutput(
                    "last_hidden_state",
                    append(editor, NodeSpec.of(OpId.onnx("Gather"), 21, table, ids), "last_hidden_state"));
            editor.addOutput("seen", append(editor, NodeSpec.of(OpId.onnx("Identity"), 21, mask), "seen"));
        });
    }

    /** Scores of images: the means of the channels, times a matrix. */
    static Path scores(Path file, int size) {
        return write(file, editor -> {
            var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.of(3), Dim.of(size), Dim.of(size));
            Value image = editor.addInput("image", ValueType.tensor(ElementType.FLOAT, shape));
            Value means = append(editor, NodeSpec.of(OpId.onnx("GlobalAveragePool"), 21, image), "means");
            Value flat = append(editor, NodeSpec.of(OpId.onnx("Flatten"), 21, means), "flat");
            Value weights = editor.addConstant("weights", Tensor.copyOf(random(3 * CLASSES, 2), 3, CLASSES));
            editor.addOutput("scores", append(editor, NodeSpec.of(OpId.onnx("MatMul"), 21, flat, weights), "scores"));
        });
    }

    /** Boxes that do not depend on the image. */
    static Path boxes(Path file, int size, Tensor boxes) {
        return answers(file, size, List.of(boxes));
    }

    /** Answers that do not depend on the image but by adding its mean times zero. */
    static Path answers(Path file, int size, List<Tensor> answers) {
        return write(file, editor -> {
            var shape = SymbolicShape.of(Dim.symbol("batch"), Dim.of(3), Dim.of(size), Dim.of(size));
            Value image = editor.addInput("images", ValueType.tensor(ElementType.FLOAT, shape));
            NodeSpec reduce = NodeSpec.of(OpId.onnx("ReduceMean"), 21, image).with("keepdims", Attribute.of(0));
            Value mean = append(editor, reduce, "mean");
            Value zero = editor.addConstant("zero", Tensor.scalar(0f));
            Value nothing = append(editor, NodeSpec.of(OpId.onnx("Mul"), 21, mean, zero), "nothing");
            for (int i = 0; i < answers.size(); i++) {
                Value found = editor.addConstant("found" + i, answers.get(i));
                NodeSpec add = NodeSpec.of(OpId.onnx("Add"), 21, found, nothing);
                editor.addOutput("output" + i, append(editor, add, "output" + i));
            }
        });
    }

    /** Strings and numbers that go through a model as they are, and a constant. */
    static Path echo(Path file) {
        return write(file, editor -> {
            var shape = SymbolicShape.of(Dim.symbol("count"));
            Value texts = editor.addInput("texts", ValueType.tensor(ElementType.STRING, shape));
            Value numbers = editor.addInput("numbers", ValueType.tensor(ElementType.FLOAT, shape));
            Value weights = editor.addConstant("weights", Tensor.copyOf(new float[] {1, 2}, 2));
            for (Value value : List.of(texts, numbers, weights)) {
                String name = value.name() + "_out";
                editor.addOutput(name, append(editor, NodeSpec.of(OpId.onnx("Identity"), 21, value), name));
            }
        });
    }
}
