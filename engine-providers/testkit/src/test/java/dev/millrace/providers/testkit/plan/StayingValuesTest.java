package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.run.InputSource;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests runs whose outputs stay on a device and are inputs of the next run. */
class StayingValuesTest {
    private static final int SEEDS = Integer.getInteger("millrace.plans.seeds", 300);
    private static final long FIRST = Long.getLong("millrace.plans.first", 1);
    private static final int RUNS = 5;

    /** A chain of runs that a seed decides: results of one are inputs of the next. */
    private static final class Chain {
        private final Random random;
        private final Graph graph;
        private final List<List<Float>> answers = new ArrayList<>();
        private final Map<String, Tensor> inputs = new HashMap<>();
        private final Set<String> donated = new HashSet<>();
        private final Set<String> staying = new HashSet<>();
        private int onDevices;

        Chain(Graph graph, long seed) {
            this.random = new Random(seed);
            this.graph = graph;
        }

        Chain run(PlanRunner runner) {
            graph.inputs().forEach(input -> inputs.put(input.name(), RandomGraph.input(random.nextInt(100))));
            for (int i = 0; i < RUNS; i++) {
                staying.clear();
                graph.outputNames().stream()
                        .filter(name -> random.nextInt(4) > 0)
                        .forEach(staying::add);
                Datum[] results = runner.run(source(), new Cancellation(), null);
                List<Tensor> before = List.copyOf(inputs.values());
                adopt(results);
                for (Tensor tensor : before) {
                    if (!inputs.containsValue(tensor)) {
                        tensor.close();
                    }
                }
            }
            inputs.values().forEach(Tensor::close);
            return this;
        }

        /** Makes some results the inputs of the next run; the others are closed. */
        private void adopt(Datum[] results) {
            var spent = new HashSet<>(donated);
            donated.clear();
            var names = new ArrayList<>(inputs.keySet());
            for (Datum datum : results) {
                Tensor result = (Tensor) datum;
                onDevices += result.remoteContent() == null ? 0 : 1;
                if (random.nextBoolean()) {
                    answers.addAll(SimulatedPlan.numbers(new Datum[] {result}));
                }
                if (!names.isEmpty() && random.nextInt(3) > 0) {
                    String name = names.removeFirst();
                    inputs.put(name, result);
                    spent.remove(name);
                    if (random.nextBoolean()) {
                        donated.add(name);
                    }
                } else {
                    result.close();
                }
            }
            spent.forEach(name -> inputs.put(name, RandomGraph.input(7)));
        }

        private InputSource source() {
            return new InputSource() {
                @Override
                public @Nullable Datum input(String name) {
                    return inputs.get(name);
                }

                @Override
                public @Nullable Tensor donated(String name) {
                    return donated.contains(name) ? inputs.get(name) : null;
                }

                @Override
                public boolean staysOnDevice(String output) {
                    return staying.contains(output);
                }
            };
        }
    }

    @Test
    void theAnswersAreThoseOfTheHostAlone() {
        int onDevices = 0;
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Graph graph = RandomGraph.of(seed);
            try (PlanRunner host = SimulatedPlan.onHost(graph);
                    var plan = new SimulatedPlan(graph, seed)) {
                Chain chain = new Chain(graph, seed).run(plan.runner());
                assertThat(chain.answers).isEqualTo(new Chain(graph, seed).run(host).answers);
                onDevices += chain.onDevices;
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
        assertThat(onDevices).isGreaterThan(SEEDS);
    }

    @Test
    void aDonatedStateIsComputedInItsMemory() {
        Graph graph = Graph.named("state");
        var editor = new GraphEditor(graph);
        Value state = editor.addInput("x", ValueType.tensor(ElementType.FLOAT));
        Value step = editor.addConstant("c", RandomGraph.input(3));
        NodeSpec add = NodeSpec.of(new OpId("test", "AddInPlace"), 1, state, step);
        editor.addOutput("y", editor.append(add, List.of("sum")).outputs().getFirst());
        int inPlace = 0;
        for (long seed = FIRST; seed < FIRST + 20; seed++) {
            try (var plan = new SimulatedPlan(graph, seed)) {
                Tensor first = run(plan.runner(), RandomGraph.input(1));
                // read now, it is read again when its content is another one
                assertThat(first.floats()).hasSize(8);
                Tensor second = run(plan.runner(), first);
                Tensor third = run(plan.runner(), second);
                inPlace += first.remoteContent() != null && second == first && third == first ? 1 : 0;
                assertThat(SimulatedPlan.numbers(new Datum[] {third})).isEqualTo(onHost(graph));
                List.of(first, second, third).forEach(Tensor::close);
            }
        }
        assertThat(inPlace).isGreaterThan(5);
    }

    private static List<List<Float>> onHost(Graph graph) {
        try (PlanRunner host = SimulatedPlan.onHost(graph)) {
            Tensor third = run(host, run(host, run(host, RandomGraph.input(1))));
            return SimulatedPlan.numbers(new Datum[] {third});
        }
    }

    /** Runs a graph of one input and one output, which stays on its device. */
    private static Tensor run(PlanRunner runner, Tensor donated) {
        var source = new InputSource() {
            @Override
            public Datum input(String name) {
                return donated;
            }

            @Override
            public Tensor donated(String name) {
                return donated;
            }

            @Override
            public boolean staysOnDevice(String output) {
                return true;
            }
        };
        return (Tensor) runner.run(source, new Cancellation(), null)[0];
    }
}
