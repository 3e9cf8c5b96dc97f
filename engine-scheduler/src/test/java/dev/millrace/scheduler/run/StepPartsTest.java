package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Tests of steps that are done in parts. */
class StepPartsTest {
    private static final OpId SEVERAL = new OpId("test", "Several");

    @AutoClose
    private final WorkerPool pool = new WorkerPool(0);

    private final Chains kernels = new Chains();

    private static Value increased(GraphEditor editor, Value value, String name) {
        return editor.append(NodeSpec.of(new OpId("test", "Inc"), 1, value), List.of(name))
                .requireOutput(0);
    }

    /** A kernel that is always done in parts: outputs x + 1, x + 2 and x + 3. */
    private final class Several implements ShapedKernel {
        @Override
        public Launch bind(BindContext context) {
            throw new AssertionError("it has parts");
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return Arrays.asList(null, null, null);
        }

        @Override
        public Parts parts(Node node, Facts facts) {
            var editor = new GraphEditor(Graph.named("parts"));
            Value value = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
            for (int i = 1; i <= 3; i++) {
                value = increased(editor, value, "sum" + i);
                editor.addOutput("sum" + i, value);
            }
            return new Parts(editor.graph(), List.of(0, 1, 2), kernels::kernel);
        }
    }

    @Test
    void everyOutputThatIsReadGetsItsOwnResultWhereOthersAreNotRead() {
        var editor = new GraphEditor(Graph.named("test"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        Node several = editor.append(NodeSpec.of(SEVERAL, 1, x), List.of("one", "two", "three"));
        editor.addOutput("three", several.requireOutput(2));
        editor.addOutput("two", several.requireOutput(1));
        PlanBuilder.Assigner assigner = node -> new PlanBuilder.Assignment(
                node.op().equals(SEVERAL) ? new Several() : kernels.kernel(node), "test", Device.CPU);
        var runner = new PlanRunner(PlanBuilder.build(editor.graph(), assigner), pool, 1, 4);

        var results = new ArrayList<float[]>();
        for (Datum each : runner.run(_ -> Tensor.copyOf(new float[] {1, 10}, 2), new Cancellation(), null)) {
            results.add(((Tensor) each).floats());
        }

        assertThat(results.get(0)).containsExactly(4, 13);
        assertThat(results.get(1)).containsExactly(3, 12);
    }
}
