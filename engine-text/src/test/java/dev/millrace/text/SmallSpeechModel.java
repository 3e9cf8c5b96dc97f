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
import java.util.Random;

/**
 * A small model of speech with random weights: logits depend on the last token, on the number of tokens, and on the means of the
 * spectrogram's thirds.
 */
final class SmallSpeechModel {
    static final int BINS = 80;
    private static final int OPSET = 21;
    private static final int PLACES = 64;

    private final GraphEditor editor;
    private final Random random;

    private SmallSpeechModel(String name, long seed) {
        this.editor = new GraphEditor(Graph.named(name));
        this.random = new Random(seed);
    }

    static byte[] encoder(long seed) {
        var model = new SmallSpeechModel("encoder", seed);
        Value features = model.editor.addInput(
                "input_features",
                ValueType.tensor(
                        ElementType.FLOAT, SymbolicShape.of(Dim.symbol("batch_size"), Dim.of(BINS), Dim.of(3000))));
        Value thirds = model.editor.addConstant("thirds", Tensor.copyOf(new long[] {-1, BINS, 3, 1000}, 4));
        Value axis = model.editor.addConstant("axis", Tensor.copyOf(new long[] {3}, 1));
        Value means = model.node(
                "ReduceMean",
                Attributes.of("keepdims", Attribute.of(0)),
                model.node("Reshape", Attributes.NONE, features, thirds),
                axis);
        model.editor.addOutput(
                "last_hidden_state", model.node("Transpose", Attributes.of("perm", Attribute.of(0, 2, 1)), means));
        return model.bytes();
    }

    /**
     * Returns the decoder.
     *
     * @param words the size of the vocabulary
     * @param firstStamp the first timestamp, whose kind is rarer
     */
    static byte[] decoder(long seed, int words, int firstStamp) {
        var model = new SmallSpeechModel("decoder", seed);
        Value ids = model.editor.addInput(
                "input_ids",
                ValueType.tensor(
                        ElementType.INT64,
                        SymbolicShape.of(Dim.symbol("batch_size"), Dim.symbol("decoder_sequence_length"))));
        Value hidden = model.editor.addInput(
                "encoder_hidden_states",
                ValueType.tensor(
                        ElementType.FLOAT, SymbolicShape.of(Dim.symbol("batch_size"), Dim.of(3), Dim.of(BINS))));
        Value one = model.editor.addConstant("one", Tensor.copyOf(new long[] {1}, 1));
        Value last = model.node(
                "Sub",
                Attributes.NONE,
                model.node("Gather", Attributes.NONE, model.node("Shape", Attributes.NONE, ids), one),
                one);
        Value most = model.editor.addConstant("most", Tensor.copyOf(new long[] {PLACES - 1}, 1));
        Attributes along = Attributes.of("axis", Attribute.of(1));
        Value word = model.node("Gather", along, ids, last);
        Value byWord =
                model.node("Gather", Attributes.NONE, model.table("byWord", words, words, firstStamp, 3, 6), word);
        Value place = model.node("Min", Attributes.NONE, last, most);
        Value byPlace =
                model.node("Gather", Attributes.NONE, model.table("byPlace", PLACES, words, firstStamp, 2, 0), place);
        Value heard = model.node(
                "MatMul", Attributes.NONE, hidden, model.table("byFeatures", BINS, words, firstStamp, 0.03, 0));
        Value sum = model.node("ReduceSum", Attributes.of("keepdims", Attribute.of(1)), heard, one);
        model.editor.addOutput(
                "logits", model.node("Add", Attributes.NONE, model.node("Add", Attributes.NONE, byWord, byPlace), sum));
        return model.bytes();
    }

    private Value table(String name, int rows, int columns, int firstStamp, double scale, double shift) {
        float[] values = new float[rows * columns];
        for (int i = 0; i < values.length; i++) {
            boolean isStamp = i % columns >= firstStamp;
            values[i] = (float) (scale * random.nextGaussian() - (isStamp ? shift : 0));
        }
        return editor.addConstant(name, Tensor.copyOf(values, rows, columns));
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
