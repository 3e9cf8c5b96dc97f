package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A plan that is bound before its first run: y = x + 2. */
class PreparedPlanTest {
    private static final List<ValueType.TensorType> PAIR = List.of(ValueType.tensor(ElementType.FLOAT, Shape.of(2)));

    private final WorkerPool pool = new WorkerPool(1);
    private final Chains kernels = new Chains();
    private final PlanRunner runner = new PlanRunner(PlanBuilder.build(twice(), kernels.on(Device.CPU)), pool, 2, 4);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private static Graph twice() {
        var editor = new GraphEditor(Graph.named("twice"));
        Value value = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        for (String name : List.of("once", "twice")) {
            value = editor.append(NodeSpec.of(new OpId("test", "Inc"), 1, value), List.of(name))
                    .requireOutput(0);
        }
        editor.addOutput("y", value);
        return editor.graph();
    }

    private PlanWarmup preparation() {
        return new PlanWarmup(runner, new Cancellation());
    }

    private float[] run(float... x) {
        Tensor tensor = Tensor.copyOf(x, x.length);
        return ((Tensor) runner.run(_ -> tensor, new Cancellation(), null)[0]).floats();
    }

    @Test
    void aRunOfTheSameShapesBindsNothingAgain() {
        assertThat(preparation().bind(PAIR, true)).isEqualTo(BoundExtent.WHOLE);
        assertThat(kernels.binds).hasValue(2);
        assertThat(kernels.rehearsals).hasValue(2);
        assertThat(run(1, 2)).containsExactly(3, 4);
        assertThat(kernels.binds).hasValue(2);
        assertThat(run(1, 2, 3)).containsExactly(3, 4, 5);
        assertThat(kernels.binds).hasValue(4);
    }

    @Test
    void whatIsNotKeptLeavesNoBinding() {
        assertThat(preparation().bind(PAIR, false)).isEqualTo(BoundExtent.WHOLE);
        assertThat(kernels.binds).hasValue(2);
        assertThat(kernels.rehearsals).hasValue(0);
        assertThat(runner.stretches()).isEmpty();
    }

    @Test
    void whatIsExpectedIsBoundAndNotRun() {
        Tensor tensor = Tensor.copyOf(new float[] {1, 2}, 2);
        preparation().expect(_ -> tensor);
        preparation().expect(_ -> tensor);
        assertThat(kernels.binds).hasValue(2);
        assertThat(kernels.rehearsals).hasValue(2);
        assertThat(kernels.written).isEmpty();
        assertThat(run(1, 2)).containsExactly(3, 4);
        assertThat(kernels.binds).hasValue(2);
    }

    @Test
    void expectingEndsWhereItIsCancelled() {
        var cancellation = new Cancellation();
        kernels.binding = cancellation::cancel;
        Tensor tensor = Tensor.copyOf(new float[] {1, 2}, 2);
        assertThatThrownBy(() -> new PlanWarmup(runner, cancellation).expect(_ -> tensor))
                .isInstanceOf(EngineException.class);
        assertThat(runner.stretches()).isEmpty();
    }

    @Test
    void preparingEndsWhereItIsCancelledAndRunsAreAsBefore() {
        var cancellation = new Cancellation();
        kernels.binding = cancellation::cancel;
        assertThat(new PlanWarmup(runner, cancellation).bind(PAIR, true)).isEqualTo(BoundExtent.NOTHING);
        assertThat(kernels.binds).hasValue(1);
        kernels.binding = () -> {};
        assertThat(run(1, 2)).containsExactly(3, 4);
    }

    @Test
    void contentsThatAreTakenForGrantedFoldWhatFollowsAndAreNotKept() {
        Tensor content = Tensor.copyOf(new float[] {5, 6}, 2);

        assertThat(preparation().bind(PAIR, Map.of(0, content))).isEqualTo(BoundExtent.WHOLE);

        assertThat(runner.stretches()).isEmpty();
        assertThat(run(1, 2)).containsExactly(3, 4);
    }
}
