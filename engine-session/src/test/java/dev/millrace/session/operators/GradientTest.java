package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Gradients against what comes of small steps. */
class GradientTest {
    private static final double STEP = 1e-5;
    private static final Shape WEIGHTS = Shape.of(2, 3);
    private static final Shape GIVEN = Shape.of(3, 4);
    private static final Shape BIAS = Shape.of(2, 1);

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(94);

    private static final class Network {
        private final GraphEditor editor = new GraphEditor(Graph.named("network"));

        Value input(String name, Shape shape) {
            return editor.addInput(name, ValueType.tensor(ElementType.DOUBLE, shape));
        }

        Value op(String op, Value... inputs) {
            return editor.append(NodeSpec.of(OpId.onnx(op), 21, inputs), List.of(op))
                    .requireOutput(0);
        }

        void gradient(String y, Value... xs) {
            List<Attribute.Bytes> names = Arrays.stream(xs)
                    .map(x -> new Attribute.Bytes(x.name().getBytes(StandardCharsets.UTF_8)))
                    .toList();
            NodeSpec spec = NodeSpec.of(new OpId(OpId.ONNX_TRAINING, "Gradient"), 1, xs)
                    .with("xs", new Attribute.Strings(names))
                    .with("y", Attribute.of(y));
            var outputs = new ArrayList<@Nullable String>();
            names.forEach(name -> outputs.add("d" + name.text()));
            var node = editor.append(spec, outputs);
            for (int i = 0; i < xs.length; i++) {
                editor.addOutput("d" + names.get(i).text(), node.requireOutput(i));
            }
        }

        byte[] model() {
            var header = new Model.Header(10, "test", "1", "", 1, "");
            Map<String, Integer> opsets = Map.of(OpId.ONNX, 21, OpId.ONNX_TRAINING, 1);
            return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null));
        }
    }

    /** All operators that a gradient goes through, one behind the other. */
    private static byte[] network() {
        var network = new Network();
        Value weights = network.input("weights", WEIGHTS);
        Value value = network.input("given", GIVEN);
        Value bias = network.input("bias", BIAS);
        Value sum = network.op("Add", network.op("MatMul", weights, value), bias);
        Value squashed = network.op("Sigmoid", network.op("Relu", sum));
        Value turned = network.op("Neg", network.op("Tanh", network.op("Sub", squashed, network.op("Exp", bias))));
        Value positive = network.op("Sqrt", network.op("Exp", network.op("Mul", turned, sum)));
        Value y = network.op("Identity", network.op("Div", network.op("Log", positive), network.op("Exp", sum)));
        network.editor.addOutput("y", y);
        network.gradient("y", weights, value, bias);
        return network.model();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whereOperandsWereBroadcastIsSeenInARun(boolean isRankKnown) {
        var network = new Network();
        var shape = isRankKnown ? SymbolicShape.ofRank(2) : null;
        Value a = network.editor.addInput("a", ValueType.tensor(ElementType.DOUBLE, shape));
        Value b = network.editor.addInput("b", ValueType.tensor(ElementType.DOUBLE, shape));
        network.editor.addOutput("y", network.op("Mul", a, b));
        network.gradient("y", a, b);
        try (Session session = engine.session(network.model(), SessionOptions.defaults())) {
            var first = Tensor.copyOf(new double[] {1, 2, 3, 4, 5, 6}, 2, 3);
            var second = Tensor.copyOf(new double[] {10, 20}, 2, 1);
            try (Outputs outputs = session.run(inputs(Map.of("a", first, "b", second)))) {
                assertThat(outputs.get("da").doubles()).containsExactly(10, 10, 10, 20, 20, 20);
                assertThat(outputs.get("db").doubles()).containsExactly(6, 15);
            }
            try (Outputs outputs = session.run(inputs(Map.of("a", first, "b", first)))) {
                assertThat(outputs.get("da").doubles()).containsExactly(1, 2, 3, 4, 5, 6);
                assertThat(outputs.get("db").doubles()).containsExactly(1, 2, 3, 4, 5, 6);
            }
        }
    }

    @Test
    void gradientsAreWhatSmallStepsSay() {
        Map<String, Tensor> at = Map.of(
                "weights", draw.reals(ElementType.DOUBLE, 2, 3),
                "given", draw.reals(ElementType.DOUBLE, 3, 4),
                "bias", draw.reals(ElementType.DOUBLE, 2, 1));
        try (Session session = engine.session(network(), SessionOptions.defaults())) {
            for (String name : at.keySet()) {
                double[] gradient;
                try (Outputs outputs = session.run(inputs(at))) {
                    gradient = outputs.get("d" + name).doubles();
                }
                for (int i = 0; i < gradient.length; i++) {
                    double more = sum(session, moved(at, name, i, STEP));
                    double less = sum(session, moved(at, name, i, -STEP));
                    assertThat(gradient[i]).as(name + " " + i).isCloseTo((more - less) / (2 * STEP), within(1e-6));
                }
            }
        }
    }

    private static Inputs inputs(Map<String, Tensor> at) {
        Inputs inputs = Inputs.empty();
        at.forEach(inputs::and);
        return inputs;
    }

    private static Inputs moved(Map<String, Tensor> at, String name, int index, double step) {
        Inputs inputs = Inputs.empty();
        at.forEach((other, tensor) -> {
            double[] values = tensor.doubles();
            if (other.equals(name)) {
                values[index] += step;
            }
            inputs.and(other, Tensor.copyOf(values, tensor.shape().toArray()));
        });
        return inputs;
    }

    private static double sum(Session session, Inputs inputs) {
        try (Outputs outputs = session.run(inputs)) {
            return Arrays.stream(outputs.get("y").doubles()).sum();
        }
    }

    @Test
    void whatCannotBeDifferentiatedIsNamed() {
        var network = new Network();
        Value value = network.input("given", GIVEN);
        network.gradient(network.op("Softmax", value).name(), value);
        assertThatThrownBy(() -> engine.session(network.model(), SessionOptions.defaults()))
                .hasMessageContaining("the operator Softmax on the way");
        var nothing = new Network();
        nothing.gradient("y", nothing.input("given", GIVEN));
        assertThatThrownBy(() -> engine.session(nothing.model(), SessionOptions.defaults()))
                .hasMessageContaining("'y' is not computed before it");
    }
}
