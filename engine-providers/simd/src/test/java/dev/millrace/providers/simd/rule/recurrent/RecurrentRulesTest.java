package dev.millrace.providers.simd.rule.recurrent;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RecurrentRulesTest {
    private final Random random = new Random(7);

    /** One layer with whatever it may have. */
    private final class Layer {
        private final String name;
        private final int gates;
        private final int directions;
        private final int batch = 1 + random.nextInt(4);
        private final int inputs = 1 + random.nextInt(20);
        private final int hidden = 1 + random.nextInt(40);
        private final boolean batchFirst = random.nextBoolean();
        private final boolean withLengths = random.nextBoolean();
        private final boolean withStates = random.nextBoolean();
        private final boolean withBias = random.nextBoolean();
        private final boolean withPeepholes = random.nextBoolean();
        private final boolean weightsAreInputs = inputs % 2 == 0;
        private final int unwanted = random.nextInt(4);
        private final Attributes attributes;
        private final Tensor w;
        private final Tensor r;
        private final Tensor b;
        private final Tensor p;

        Layer(String name, Attributes attributes) {
            this.name = name;
            gates = name.equals("LSTM") ? 4 : name.equals("GRU") ? 3 : 1;
            directions = attributes.text("direction", "forward").equals("bidirectional") ? 2 : 1;
            this.attributes = attributes
                    .with("hidden_size", Attribute.of(hidden))
                    .with("layout", Attribute.of(batchFirst ? 1 : 0));
            w = Comparison.random(random, directions, gates * hidden, inputs);
            r = Comparison.random(random, directions, gates * hidden, hidden);
            b = Comparison.random(random, directions, 2 * gates * hidden);
            p = Comparison.random(random, directions, 3 * hidden);
        }

        private boolean isLstm() {
            return name.equals("LSTM");
        }

        void make(GraphEditor editor) {
            List<@Nullable Value> values = new ArrayList<>();
            values.add(Comparison.floats(editor, "x", 3));
            values.add(weightsAreInputs ? Comparison.floats(editor, "w", 3) : editor.addConstant("w", w));
            values.add(weightsAreInputs ? Comparison.floats(editor, "r", 3) : editor.addConstant("r", r));
            values.add(
                    !withBias
                            ? null
                            : weightsAreInputs ? Comparison.floats(editor, "b", 2) : editor.addConstant("b", b));
            values.add(withLengths ? Comparison.input(editor, "lengths", ElementType.INT32, 1) : null);
            values.add(withStates ? Comparison.floats(editor, "h", 3) : null);
            if (isLstm()) {
                values.add(withStates ? Comparison.floats(editor, "c", 3) : null);
                values.add(withPeepholes ? editor.addConstant("p", p) : null);
            }
            NodeSpec spec = NodeSpec.of(new OpId(OpId.ONNX, name), 14, values).with(attributes);
            List<@Nullable String> names = new ArrayList<>(List.of("y", "yh"));
            if (isLstm()) {
                names.add("yc");
            }
            if (unwanted < names.size()) {
                names.set(unwanted, null);
            }
            Node node = editor.append(spec, names);
            for (Value output : node.outputs()) {
                if (output != null) {
                    editor.addOutput(output.name(), output);
                }
            }
        }

        Tensor[] inputs(int steps) {
            var given = new ArrayList<Tensor>();
            given.add(
                    batchFirst
                            ? Comparison.random(random, batch, steps, inputs)
                            : Comparison.random(random, steps, batch, inputs));
            if (weightsAreInputs) {
                given.addAll(withBias ? List.of(w, r, b) : List.of(w, r));
            }
            if (withLengths) {
                int[] lengths = random.ints(batch, 0, steps + 1).toArray();
                given.add(Tensor.copyOf(lengths, batch));
            }
            for (int i = 0; withStates && i < (isLstm() ? 2 : 1); i++) {
                given.add(
                        batchFirst
                                ? Comparison.random(random, batch, directions, hidden)
                                : Comparison.random(random, directions, batch, hidden));
            }
            return given.toArray(Tensor[]::new);
        }
    }

    private void agrees(String name, Attributes attributes) {
        var layer = new Layer(name, attributes);
        try (var both = new Comparison(layer::make)) {
            both.agreesOn(layer.inputs(1)).agreesOn(layer.inputs(5)).agreesOn(layer.inputs(8));
            both.withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSTM", "GRU", "RNN"})
    void layersOfAnyShapeAgree(String name) {
        for (String direction : List.of("forward", "reverse", "bidirectional")) {
            for (int i = 0; i < 12; i++) {
                agrees(name, Attributes.of("direction", Attribute.of(direction)));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSTM", "GRU", "RNN"})
    void allActivationsAgree(String name) {
        int functions = name.equals("LSTM") ? 3 : name.equals("GRU") ? 2 : 1;
        for (String function : List.of("Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid")) {
            agrees(name, activations(functions, function, "tanh", "Softsign"));
        }
        agrees(name, activations(functions, "Elu", "Softplus", "Sigmoid"));
    }

    private static Attributes activations(int count, String... names) {
        var texts = List.of(names).subList(0, count).stream()
                .map(name -> new Attribute.Bytes(name.getBytes(StandardCharsets.UTF_8)))
                .toList();
        return Attributes.of("activations", new Attribute.Strings(texts))
                .with("activation_alpha", new Attribute.Floats(List.of(0.3f, 0.4f, 0.6f)))
                .with("activation_beta", new Attribute.Floats(List.of(0.7f, 0.2f)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"LSTM", "GRU", "RNN"})
    void whatGoesIntoActivationsIsClipped(String name) {
        agrees(name, Attributes.of("clip", Attribute.of(0.25f)));
    }

    @Test
    void anLstmCanForgetWhatItDoesNotTakeIn() {
        agrees("LSTM", Attributes.of("input_forget", Attribute.of(1)));
    }

    @Test
    void aGruCanResetAfterTheProduct() {
        for (int i = 0; i < 6; i++) {
            agrees("GRU", Attributes.of("linear_before_reset", Attribute.of(1)));
        }
    }
}
