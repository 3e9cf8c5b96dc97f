package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of errors of nodes in a loop body that could be computed in advance, as docs/internals/optimiser.md says. */
class FoldedErrorsTest {
    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final GraphEditor main = new GraphEditor(Graph.named("main"));
    private final Value x = main.addInput("x", ValueType.tensor(ElementType.INT64, Shape.of(4)));
    private final GraphEditor body = new GraphEditor(Graph.nested("body", main.graph()));

    private static Value add(GraphEditor to, String op, Value... inputs) {
        return to.append(NodeSpec.of(OpId.onnx(op), TestModels.OPSET, inputs), List.of(op + "/out"))
                .requireOutput(0);
    }

    /** Two turns of a loop that adds to its state; of the remainder of 5 by 0 it takes the shape or the content. */
    private byte[] model(boolean isRead) {
        body.addInput("turn", ValueType.tensor(ElementType.INT64, Shape.SCALAR));
        Value go = body.addInput("go", ValueType.tensor(ElementType.BOOL, Shape.SCALAR));
        Value state = body.addInput("state", ValueType.tensor(ElementType.INT64, Shape.of(4)));
        Value five = body.addConstant("five", Tensor.copyOf(new long[] {5}, 1));
        Value zero = body.addConstant("zero", Tensor.copyOf(new long[] {0}, 1));
        Value rest = add(body, "Mod", five, zero);
        body.addOutput("goOn", add(body, "Identity", go));
        body.addOutput("next", add(body, "Add", state, isRead ? rest : add(body, "Shape", rest)));
        Value turns = main.addConstant("turns", Tensor.scalar(2L));
        NodeSpec loop = NodeSpec.of(OpId.onnx("Loop"), TestModels.OPSET, turns, null, x)
                .with("body", Attribute.of(body.graph()));
        main.addOutput("y", main.append(loop, List.of("y")).requireOutput(0));
        return Models.toBytes(TestModels.model(main.graph()));
    }

    private long[] run(byte[] model, String provider, Level level) {
        var options = SessionOptions.builder()
                .provider(provider)
                .optimiser(Optimiser.Options.builder().level(level).build());
        if (!provider.equals("cpu")) {
            options.provider("cpu");
        }
        try (Session session = engine.session(model, options.build());
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new long[] {1, 2, 3, 4}, 4)))) {
            return outputs.get("y").longs();
        }
    }

    @ParameterizedTest
    @CsvSource({"cpu, DISABLED", "cpu, ALL", "simd, DISABLED", "simd, ALL"})
    void anErrorThatFoldingMeetsIsReportedByTheRun(String provider, Level level) {
        byte[] model = model(true);
        assertThatThrownBy(() -> run(model, provider, level))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("Mod")
                .hasMessageContaining("integer division by zero");
    }

    @ParameterizedTest
    @CsvSource({"cpu", "simd"})
    void anErrorOfWhatNothingReadsIsLeftOut(String provider) {
        assertThat(run(model(false), provider, Level.ALL)).containsExactly(3, 4, 5, 6);
    }
}
