package dev.millrace.onnxruntime.programs;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.onnxruntime.both.SmallModels;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;

/** A model of ten classes with drawn weights, which has its answer as probabilities, as labels and as maps. */
final class DigitModel {
    private static final int OPSET = 13;
    private static final int CLASSES = 10;

    private DigitModel() {}

    static byte[] bytes(int side) {
        var random = new Random(28);
        float[] weights = new float[side * side * CLASSES];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = (float) random.nextGaussian() / side;
        }
        var editor = new GraphEditor(Graph.named("digits"));
        Value image = editor.addInput("image", SmallModels.tensor(ElementType.FLOAT, "n", 1, side, side));
        Value w = editor.addConstant("w", Tensor.copyOf(weights, side * side, CLASSES));
        Value sums = append(
                editor,
                "sums",
                NodeSpec.of(
                        OpId.onnx("MatMul"),
                        OPSET,
                        append(editor, "row", NodeSpec.of(OpId.onnx("Flatten"), OPSET, image)),
                        w));
        Value probabilities = append(editor, "probabilities", NodeSpec.of(OpId.onnx("Softmax"), OPSET, sums));
        editor.addOutput("probabilities", probabilities);
        NodeSpec largest = NodeSpec.of(OpId.onnx("ArgMax"), OPSET, probabilities)
                .with("axis", new Attribute.Int(1))
                .with("keepdims", new Attribute.Int(0));
        editor.addOutput("label", append(editor, "label", largest));
        NodeSpec maps = NodeSpec.of(new OpId(OpId.ONNX_ML, "ZipMap"), 1, probabilities)
                .with(
                        "classlabels_int64s",
                        new Attribute.Ints(LongStream.range(0, CLASSES).boxed().toList()));
        editor.addOutput("maps", append(editor, "maps", maps));
        var header = new Model.Header(8, "maker", "1", "org.example", 1, "");
        Map<String, Integer> opsets = Map.of(OpId.ONNX, OPSET, OpId.ONNX_ML, 1);
        return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null));
    }

    private static Value append(GraphEditor editor, String output, NodeSpec spec) {
        return editor.append(spec, List.of(output)).requireOutput(0);
    }
}
