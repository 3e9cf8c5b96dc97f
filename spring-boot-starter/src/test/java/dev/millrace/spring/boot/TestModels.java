package dev.millrace.spring.boot;

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
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

/** Models that multiply their input "x", rows of two numbers, by a factor, which is their output "y". */
final class TestModels {
    private static final int OPSET = 21;

    private TestModels() {}

    /** Puts a model in the place of a file, in one step as services do it. */
    static Path write(Path file, float factor) {
        var editor = new GraphEditor(Graph.named("times"));
        SymbolicShape rows = SymbolicShape.of(Dim.symbol("rows"), Dim.of(2));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, rows));
        Value by = editor.addConstant("by", Tensor.copyOf(new float[] {factor}, 1));
        NodeSpec times = NodeSpec.of(OpId.onnx("Mul"), OPSET, x, by);
        editor.addOutput("y", editor.append(times, List.of("y")).requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", (long) factor, "");
        byte[] bytes = Models.toBytes(new Model(header, Map.of("", OPSET), Map.of(), Map.of(), editor.graph(), null));
        try {
            Path next = Files.write(file.resolveSibling(file.getFileName() + ".next"), bytes);
            return Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Inputs row(float number) {
        return Inputs.of("x", Tensor.copyOf(new float[] {number, 1}, 1, 2));
    }

    /** Returns the number times the factor of the model. */
    static float answer(Inference inference, float number) {
        return first(inference.run(row(number)));
    }

    static float first(Outputs outputs) {
        try (outputs) {
            return outputs.get("y").floats()[0];
        }
    }
}
