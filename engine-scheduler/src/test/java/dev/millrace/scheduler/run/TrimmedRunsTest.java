package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The arrays of a large run are given back at the second trim after it, whether or not a run is under way at a trim. */
class TrimmedRunsTest {
    private static final int LARGE = 1 << 20;

    private final WorkerPool pool = new WorkerPool(0);
    private final Graph graph = Graph.named("test");
    private PlanRunner runner;
    private Runnable meanwhile = () -> {};
    /** The length of the array that the last run has found. */
    private int found;

    @BeforeEach
    void planOfOneStep() {
        var editor = new GraphEditor(graph);
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        var y = editor.append(NodeSpec.of(new OpId("test", "Scratch"), 1, x), List.of("y"));
        editor.addOutput("y", y.requireOutput(0));
        runner = new PlanRunner(
                PlanBuilder.build(graph, node -> new PlanBuilder.Assignment(kernel(), "test", Device.CPU)), pool, 1, 4);
    }

    @AfterEach
    void closePool() {
        pool.close();
    }

    /** A kernel that requests an array of as many floats as its input says. */
    private Kernel kernel() {
        return new ShapedKernel() {
            @Override
            public List<@Nullable ValueType> outputs(Node node, Facts facts) {
                return List.of(facts.type(0));
            }

            @Override
            public Launch bind(BindContext context) {
                return run -> {
                    int length = (int) Tensor.wrap(ElementType.FLOAT, context.inputShape(0), run.input(0))
                            .floats()[0];
                    found = run.scratch().floats(0, length).length;
                    meanwhile.run();
                };
            }
        };
    }

    private void run(int length) {
        runner.run(Map.of("x", Tensor.copyOf(new float[] {length}, 1))::get, new Cancellation(), null)[0].close();
    }

    @Test
    void anIdleFrameIsTrimmedAtOnce() {
        run(LARGE);
        runner.trim();
        run(1);
        assertThat(found).isEqualTo(LARGE);
        runner.trim();
        run(1);
        assertThat(found).isLessThan(LARGE);
    }

    @Test
    void theFrameOfARunUnderWayIsTrimmedWhenTheRunEnds() {
        run(LARGE);
        meanwhile = runner::trim;
        run(1);
        assertThat(found).isEqualTo(LARGE);
        run(1);
        assertThat(found).isEqualTo(LARGE);
        run(1);
        assertThat(found).isLessThan(LARGE);
    }

    @Test
    void trimsThatOneRunMissesCountAsOne() {
        meanwhile = () -> {
            runner.trim();
            runner.trim();
        };
        run(LARGE);
        meanwhile = () -> {};
        run(1);
        assertThat(found).isEqualTo(LARGE);
    }
}
