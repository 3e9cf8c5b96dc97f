package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PlanRunnerTest {
    private final WorkerPool pool = new WorkerPool(1);
    private final Chains kernels = new Chains();
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);

    @AfterEach
    void closePool() {
        pool.close();
    }

    private Value input(String name) {
        return editor.addInput(name, ValueType.tensor(ElementType.FLOAT));
    }

    private Value node(String op, Value... inputs) {
        return editor.append(NodeSpec.of(new OpId("test", op), 1, inputs), List.of(op + graph.nodeCount()))
                .requireOutput(0);
    }

    private PlanRunner runner() {
        return new PlanRunner(PlanBuilder.build(graph, kernels.on(Device.CPU)), pool, 2, 4);
    }

    private static float[] floats(Datum datum) {
        return ((Tensor) datum).floats();
    }

    private static Datum[] run(PlanRunner runner, Map<String, Datum> inputs) {
        return runner.run(inputs::get, new Cancellation(), null);
    }

    private static Tensor vector(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    @Test
    void aResultThatIsAnInputIsACopyWhoseMemoryIsUsedAgain() {
        Value x = input("x");
        editor.addOutput("y", x);
        PlanRunner runner = runner();
        Tensor first = (Tensor) run(runner, Map.of("x", vector(1, 2)))[0];
        Tensor second = (Tensor) run(runner, Map.of("x", vector(3, 4)))[0];
        assertThat(first.floats()).containsExactly(1, 2);
        assertThat(second.floats()).containsExactly(3, 4);
        first.close();
        Tensor third = (Tensor) run(runner, Map.of("x", vector(5, 6)))[0];
        Tensor longer = (Tensor) run(runner, Map.of("x", vector(7, 8, 9)))[0];
        assertThat(second.floats()).containsExactly(3, 4);
        assertThat(third.floats()).containsExactly(5, 6);
        assertThat(longer.floats()).containsExactly(7, 8, 9);
        assertThatThrownBy(first::floats).isInstanceOf(EngineException.class);
    }

    @Test
    void whatHasNoElementsIsNotRunHoweverLargeItsOtherExtentsAre() {
        editor.addOutput("y", node("Inc", node("Inc", input("x"))));
        PlanRunner runner = runner();
        Tensor empty = Tensor.allocate(ElementType.FLOAT, Shape.of(0, 1L << 40));
        Datum[] results = run(runner, Map.of("x", empty));
        assertThat(((Tensor) results[0]).shape()).isEqualTo(Shape.of(0, 1L << 40));
        assertThat(runner.stretches().getFirst().launches()).isZero();
        assertThat(kernels.binds).hasValue(0);
    }

    @Test
    void aRunThatIsCancelledWhileItBindsBindsNoMore() {
        Value value = input("x");
        for (int i = 0; i < 5; i++) {
            value = node("Inc", value);
        }
        editor.addOutput("y", value);
        PlanRunner runner = runner();
        var cancellation = new Cancellation();
        kernels.binding = cancellation::cancel;
        assertThatThrownBy(() -> runner.run(name -> vector(1), cancellation, null))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
        assertThat(kernels.binds).hasValue(1);
        kernels.binding = () -> {};
        assertThat(floats(run(runner, Map.of("x", vector(1)))[0])).containsExactly(6);
    }

    @Test
    void aChainRunsInPlaceInOneBufferAndTheResultIsTheCallers() {
        Value value = input("x");
        for (int i = 0; i < 5; i++) {
            value = node("Inc", value);
        }
        editor.addOutput("y", value);
        PlanRunner runner = runner();
        Datum[] first = run(runner, Map.of("x", vector(1, 2)));
        Datum[] second = run(runner, Map.of("x", vector(10, 20)));
        assertThat(floats(first[0])).containsExactly(6, 7);
        assertThat(floats(second[0])).containsExactly(15, 25);
        StretchSummary stretch = runner.stretches().getFirst();
        assertThat(stretch.launches()).isEqualTo(5);
        assertThat(stretch.blockBytes()).isEqualTo(64);
    }

    @Test
    void eachShapeIsBoundOnceAndTheOldestIsForgotten() {
        editor.addOutput("y", node("Inc", input("x")));
        PlanRunner runner = runner();
        for (int round = 0; round < 3; round++) {
            for (int size = 1; size <= 4; size++) {
                run(runner, Map.of("x", vector(new float[size])));
            }
        }
        assertThat(kernels.binds).hasValue(4);
        run(runner, Map.of("x", vector(new float[9])));
        assertThat(runner.stretches()).hasSize(4);
        run(runner, Map.of("x", vector(new float[4])));
        assertThat(kernels.binds).hasValue(5);
        run(runner, Map.of("x", vector(new float[1])));
        assertThat(kernels.binds).hasValue(6);
    }

    @Test
    void runsThatBindTheSameShapesAtTheSameTimeShareOneBinding() throws InterruptedException {
        editor.addOutput("y", node("Inc", input("x")));
        PlanRunner runner = runner();
        int threads = 8;
        var all = new CyclicBarrier(threads);
        kernels.binding = () -> {
            try {
                all.await(30, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
        var runs = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            runs.add(Thread.ofPlatform().start(() -> run(runner, Map.of("x", vector(1)))));
        }
        for (Thread run : runs) {
            run.join();
        }
        assertThat(kernels.binds).hasValue(threads);
        assertThat(runner.stretches()).hasSize(1);
    }

    @Test
    void aShapeThatDependsOnDataEndsTheStretchAndTheRestBindsWhenItIsKnown() {
        Value positive = node("Positive", input("x"));
        editor.addOutput("y", node("Inc", positive));
        PlanRunner runner = runner();
        assertThat(floats(run(runner, Map.of("x", vector(-1, 2, -3, 4)))[0])).containsExactly(3, 5);
        assertThat(floats(run(runner, Map.of("x", vector(-1, -2, -3, 4)))[0])).containsExactly(5);
        assertThat(floats(run(runner, Map.of("x", vector(-1, -2, -3, -4)))[0])).isEmpty();
        assertThat(runner.stretches()).hasSize(4);
    }

    @Test
    void aValueThatDecidesAShapeIsPartOfWhatABindingIsMadeFor() {
        Value count = editor.addInput("n", ValueType.tensor(ElementType.INT64));
        editor.addOutput("y", node("Inc", node("Take", input("x"), count)));
        PlanRunner runner = runner();
        Tensor x = vector(1, 2, 3);
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n <= 3; n++) {
                Datum[] results = run(runner, Map.of("x", x, "n", Tensor.copyOf(new long[] {n}, 1)));
                assertThat(floats(results[0])).hasSize(n);
            }
        }
        assertThat(kernels.binds).as("two kernels for each length but nothing").hasValue(6);
    }

    @Test
    void aViewOfAnInputIsCopiedBeforeItIsHandedOut() {
        editor.addOutput("y", node("View", input("x")));
        Tensor x = vector(1, 2, 3);
        Tensor y = (Tensor) run(runner(), Map.of("x", x))[0];
        assertThat(y.shape()).isEqualTo(Shape.of(1, 3));
        x.segment().fill((byte) 0);
        assertThat(y.floats()).containsExactly(1, 2, 3);
    }

    @Test
    void oneValueMayBeSeveralOutputsAndAlsoRead() {
        Value first = node("Inc", input("x"));
        editor.addOutput("a", first);
        editor.addOutput("b", first);
        editor.addOutput("c", node("Inc", first));
        editor.addOutput("d", node("View", first));
        Datum[] results = run(runner(), Map.of("x", vector(1)));
        assertThat(floats(results[0])).containsExactly(2);
        assertThat(floats(results[1])).containsExactly(2);
        assertThat(floats(results[2])).containsExactly(3);
        assertThat(floats(results[3])).containsExactly(2);
        assertThat(((Tensor) results[0]).segment().address())
                .isNotEqualTo(((Tensor) results[1]).segment().address());
    }

    @Test
    void closedOutputsAreUsedAgainAndOpenOnesAreNot() {
        editor.addOutput("y", node("Inc", input("x")));
        PlanRunner runner = runner();
        Tensor kept = (Tensor) run(runner, Map.of("x", vector(1)))[0];
        Tensor closed = (Tensor) run(runner, Map.of("x", vector(2)))[0];
        closed.close();
        Tensor again = (Tensor) run(runner, Map.of("x", vector(3)))[0];
        assertThat(kernels.written.get(2)).isEqualTo(kernels.written.get(1)).isNotEqualTo(kernels.written.get(0));
        assertThat(kept.floats()).containsExactly(2);
        assertThat(again.floats()).containsExactly(4);
    }

    @Test
    void whatSomebodyStillSeesOfAClosedOutputIsNeverAnotherRuns() {
        editor.addOutput("y", node("Inc", input("x")));
        PlanRunner runner = runner();
        Tensor closed = (Tensor) run(runner, Map.of("x", vector(1)))[0];
        Tensor view = closed.reshaped(Shape.of(1, 1));
        MemorySegment segment = closed.reshaped(Shape.SCALAR).segment();
        closed.close();
        run(runner, Map.of("x", vector(2)));
        assertThat(segment.get(ByteLayouts.FLOAT, 0)).isEqualTo(2);
        assertThat(view.isClosed()).isTrue();
        assertThatThrownBy(view::floats).isInstanceOf(EngineException.class).hasMessageContaining("closed");
        assertThatThrownBy(view::segment).isInstanceOf(EngineException.class).hasMessageContaining("closed");
    }

    @Test
    void anInputThatIsClosedDuringARunStaysWhatItIsUntilTheRunEnds() {
        Value x = input("x");
        editor.addOutput("y", node("Sum", x, node("Meanwhile", input("z"))));
        editor.addOutput("next", node("Inc", x));
        PlanRunner runner = runner();
        Tensor next = (Tensor) run(runner, Map.of("x", vector(1), "z", vector(0)))[1];
        kernels.meanwhile = () -> {
            kernels.meanwhile = () -> {};
            next.close();
            run(runner, Map.of("x", vector(100), "z", vector(0)));
        };
        assertThat(floats(run(runner, Map.of("x", next, "z", vector(0)))[0])).containsExactly(2);
        assertThatThrownBy(() -> run(runner, Map.of("x", next, "z", vector(0))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aRunThatFindsNoMemoryTriesOnceMoreWhenTheIdleHasGivenWay() {
        editor.addOutput("y", node("Inc", node("Hungry", input("x"))));
        PlanRunner runner = runner();
        for (int size = 1; size <= 3; size++) {
            run(runner, Map.of("x", vector(new float[size])));
        }
        kernels.hunger.set(1);
        assertThat(floats(run(runner, Map.of("x", vector(1)))[0])).containsExactly(2);
        assertThat(runner.stretches()).hasSize(2);
        kernels.hunger.set(2);
        assertThatThrownBy(() -> run(runner, Map.of("x", vector(1))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("test.Hungry");
        kernels.hunger.set(0);
        assertThat(floats(run(runner, Map.of("x", vector(1)))[0])).containsExactly(2);
    }

    @Test
    void plansThatShareTheirIdleMemoryGiveWayForEachOther() {
        editor.addOutput("y", node("Inc", node("Hungry", input("x"))));
        Plan plan = PlanBuilder.build(graph, kernels.on(Device.CPU));
        var shared = new IdleMemory();
        var one = new PlanRunner(plan, pool, 2, 4, shared);
        var other = new PlanRunner(plan, pool, 2, 4, shared);
        run(one, Map.of("x", vector(1)));
        kernels.hunger.set(1);
        assertThat(floats(run(other, Map.of("x", vector(1)))[0])).containsExactly(2);
        assertThat(one.stretches()).isEmpty();
    }

    @Test
    void memoryThatOnlyABurstNeededIsGivenUpAfterIt() {
        editor.addOutput("y", node("Inc", node("Inc", node("Meanwhile", input("x")))));
        PlanRunner runner = runner();
        int deep = 5;
        var depth = new int[1];
        var open = new ArrayList<Datum[]>();
        kernels.meanwhile = () -> {
            if (++depth[0] < deep) {
                open.add(run(runner, Map.of("x", vector(1))));
            }
        };
        open.add(run(runner, Map.of("x", vector(1))));
        open.forEach(results -> results[0].close());
        kernels.meanwhile = () -> {};
        assertThat(runner.giveUp()).isEqualTo(2 + deep);
        depth[0] = 0;
        kernels.meanwhile = () -> {
            if (++depth[0] < deep) {
                run(runner, Map.of("x", vector(1)));
            }
        };
        run(runner, Map.of("x", vector(1)));
        kernels.meanwhile = () -> {};
        runner.trim();
        run(runner, Map.of("x", vector(1)));
        runner.trim();
        assertThat(runner.giveUp()).isEqualTo(2 + 1);
    }

    @Test
    void whateverIsThrownLeavesTheRunAsTheEnginesException() {
        editor.addOutput("y", node("Inc", input("x")));
        PlanRunner runner = runner();
        for (Error thrown : new Error[] {
            new StackOverflowError(), new OutOfMemoryError(), new InternalError("planted"), new AssertionError()
        }) {
            InputSource failing = name -> {
                throw thrown;
            };
            assertThatThrownBy(() -> runner.run(failing, new Cancellation(), null))
                    .isInstanceOf(EngineException.class)
                    .hasCause(thrown);
        }
        assertThat(floats(run(runner, Map.of("x", vector(1)))[0])).containsExactly(2);
    }

    @Test
    void whatADynamicStepHandsOnOutlivesTheBlockThatItLayIn() {
        Value kept = node("Inc", input("x"));
        Value same = node("Same", kept);
        Value wrapped = node("Wrap", kept);
        Value later = input("z");
        for (int i = 0; i < 4; i++) {
            later = node("Inc", later);
        }
        editor.addOutput("same", node("Inc", same));
        editor.addOutput("unwrapped", node("Inc", node("Unwrap", wrapped)));
        editor.addOutput("later", later);
        Datum[] results = run(runner(), Map.of("x", vector(1, 2), "z", vector(100, 200)));
        assertThat(floats(results[0])).containsExactly(3, 4);
        assertThat(floats(results[1])).containsExactly(3, 4);
        assertThat(floats(results[2])).containsExactly(104, 204);
    }

    @Test
    void aFailureNamesItsNodeAndLeavesTheRunnerUsable() {
        Value x = input("x");
        editor.addOutput("y", node("Fail", node("Inc", x)));
        PlanRunner runner = runner();
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> run(runner, Map.of("x", vector(1))))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("test.Fail")
                    .hasMessageContaining("planted");
        }
    }

    @Test
    void aCancelledRunEndsAtItsNextStep() {
        editor.addOutput("y", node("Inc", input("x")));
        var cancellation = new Cancellation();
        cancellation.cancel();
        PlanRunner runner = runner();
        Map<String, Datum> inputs = Map.of("x", vector(1));
        assertThatThrownBy(() -> runner.run(inputs::get, cancellation, null))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.CANCELLED));
        assertThat(floats(run(runner, inputs)[0])).containsExactly(2);
    }

    @Test
    void aMissingInputIsNamed() {
        editor.addOutput("y", node("Inc", input("x")));
        assertThatThrownBy(() -> run(runner(), Map.of())).hasMessageContaining("Missing Input: x");
    }
}
