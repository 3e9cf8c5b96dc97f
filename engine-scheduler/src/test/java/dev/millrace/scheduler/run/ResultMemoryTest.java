package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory of results that dynamic steps and nested runs have made, and its reuse. */
class ResultMemoryTest {
    private final WorkerPool pool = new WorkerPool(1);
    private final Chains kernels = new Chains();
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));

    @AfterEach
    void closePool() {
        pool.close();
    }

    private Value node(String op, Value... inputs) {
        return editor.append(NodeSpec.of(new OpId("test", op), 1, inputs), List.of(op))
                .requireOutput(0);
    }

    private PlanRunner runner() {
        return new PlanRunner(PlanBuilder.build(graph, kernels.on(Device.CPU)), pool, 2, 4);
    }

    private static Datum[] run(PlanRunner runner, float... values) {
        Tensor tensor = Tensor.copyOf(values, values.length);
        return runner.run(Map.of("x", tensor)::get, new Cancellation(), null);
    }

    private static float[] floats(Datum datum) {
        return ((Tensor) datum).floats();
    }

    @Test
    void resultsInTheMemoryOfADynamicStepAreTheCallersAndApart() {
        Value halves = node("Halves", x);
        editor.addOutput("halves", halves);
        editor.addOutput("first", node("Unwrap", halves));
        PlanRunner runner = runner();
        Datum[] before = run(runner, 1, 2, 3, 4);
        Datum[] after = run(runner, 5, 6, 7, 8);
        ((Tensor) before[1]).segment().fill((byte) 0);
        assertThat(halves(before)).containsExactly(new float[] {1, 2}, new float[] {3, 4});
        ((TensorSequence) before[0]).close();
        run(runner, 9, 10, 11, 12);
        assertThat(halves(after)).containsExactly(new float[] {5, 6}, new float[] {7, 8});
        assertThat(floats(after[1])).containsExactly(5, 6);
    }

    private static List<float[]> halves(Datum[] results) {
        return ((TensorSequence) results[0])
                .elements().stream().map(ResultMemoryTest::floats).toList();
    }

    @Test
    void nestedRunsTakeTurnsInTheMemoryOfResultsThatAreClosed() {
        var body = new GraphEditor(Graph.nested("body", graph));
        Value state = body.addInput("state", ValueType.tensor(ElementType.FLOAT));
        Value next = body.append(NodeSpec.of(new OpId("test", "Inc"), 1, state), List.of("next"))
                .requireOutput(0);
        body.addOutput("next", next);
        body.addOutput("same", next);
        NodeSpec spec = NodeSpec.of(new OpId("test", "Steps"), 1, x).with("body", Attribute.of(body.graph()));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        PlanRunner runner = runner();
        Tensor tensor = Tensor.copyOf(new float[] {1, 2}, 2);
        Datum[] results = runner.run(Map.of("x", tensor)::get, new Cancellation(), null);
        assertThat(floats(results[0])).containsExactly(5, 6);
        assertThat(tensor.floats()).containsExactly(1, 2);
        assertThat(kernels.written).hasSize(4);
        assertThat(kernels.written.subList(2, 4)).isEqualTo(kernels.written.subList(0, 2));
    }
}
