package dev.millrace.providers.testkit.plan;

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
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.device.SimulatedRun;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that a graph runs on a simulated device as a whole. */
class SimulatedRunTest {
    /** A graph that adds one to its input and halves that, twice. */
    private static Graph twoSteps() {
        Graph graph = Graph.named("two steps");
        var editor = new GraphEditor(graph);
        Value value = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        for (String name : List.of("a", "y")) {
            value = editor.append(NodeSpec.of(new OpId("test", "Add"), 1, value), List.of(name))
                    .requireOutput(0);
            editor.setType(value, ValueType.tensor(ElementType.FLOAT));
        }
        editor.addOutput("y", value);
        return graph;
    }

    private static float[] run(float... values) {
        Tensor x = Tensor.copyOf(values, values.length);
        return ((Tensor) SimulatedRun.run(twoSteps(), List.of(x), SmallKernels::of, 1)
                        .getFirst())
                .floats();
    }

    @Test
    void numbersGoToTheDeviceAndBack() {
        assertThat(run(1, 3)).containsExactly(1, 1.5f);
    }

    @Test
    void aTensorWithoutElementsNeedsNoMemory() {
        assertThat(run()).isEmpty();
    }

    @Test
    void aNodeWithoutAKernelIsRefused() {
        Tensor x = Tensor.copyOf(new float[] {1}, 1);
        assertThatThrownBy(() -> SimulatedRun.run(twoSteps(), List.of(x), node -> null, 1))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("no kernel for");
    }
}
