package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
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
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** States whose batch is another than that of the input, of a model that leaves both open. */
class RecurrentStatesTest {
    private static final int WIDTH = 3;

    /** @param gates how many times its width a cell computes */
    private static byte[] model(String operator, int gates) {
        var editor = new GraphEditor(Graph.named("states"));
        Value x = editor.addInput("x", type(1, "batch", 2));
        Value state = editor.addInput("state", type(1, "of_state", WIDTH));
        Value weights = editor.addConstant("w", Tensor.allocate(ElementType.FLOAT, Shape.of(1, gates * WIDTH, 2)));
        Value recurrent =
                editor.addConstant("r", Tensor.allocate(ElementType.FLOAT, Shape.of(1, gates * WIDTH, WIDTH)));
        var operands = new ArrayList<@Nullable Value>(List.of(x, weights, recurrent));
        operands.add(null);
        operands.add(null);
        operands.add(state);
        var cell = editor.append(
                NodeSpec.of(OpId.onnx(operator), 14, operands).with("hidden_size", Attribute.of((long) WIDTH)),
                List.of("y", "last"));
        editor.addOutput("last", cell.requireOutput(1));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 14), Map.of(), Map.of(), editor.graph(), null));
    }

    private static ValueType type(long first, String batch, long width) {
        return ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(first), Dim.symbol(batch), Dim.of(width)));
    }

    @ParameterizedTest
    @CsvSource({"LSTM, 4, cpu", "LSTM, 4, simd", "GRU, 3, cpu", "GRU, 3, simd", "RNN, 1, cpu", "RNN, 1, simd"})
    void areRefused(String operator, int gates, String provider) {
        SessionOptions options = SessionOptions.builder().provider(provider).build();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(model(operator, gates), options)) {
            try (Outputs right = session.run(inputs(2, 2))) {
                assertThat(right.get("last").shape()).isEqualTo(Shape.of(1, 2, WIDTH));
            }
            assertRefused(session, 1, 2);
            assertRefused(session, 2, 1);
        }
    }

    private static void assertRefused(Session session, int batch, int ofState) {
        assertThatThrownBy(() -> session.run(inputs(batch, ofState)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("input 5 has shape [1, %d, 3] where [1, %d, 3] is expected", ofState, batch);
    }

    private static Inputs inputs(int batch, int ofState) {
        return Inputs.of("x", Tensor.allocate(ElementType.FLOAT, Shape.of(1, batch, 2)))
                .and("state", Tensor.allocate(ElementType.FLOAT, Shape.of(1, ofState, WIDTH)));
    }
}
