package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.run.PlanRunner;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that plans over simulated devices give the answers of the host alone, to the bit, and break no rule of a device. */
class RandomPlansTest {
    private static final int SEEDS = Integer.getInteger("millrace.plans.seeds", 300);
    private static final long FIRST = Long.getLong("millrace.plans.first", 1);
    /** The third request is the first once more. */
    private static final long[] REQUESTS = {0, 1, 0};

    @Test
    void theAnswersAreThoseOfTheHostAlone() {
        for (long seed = FIRST; seed < FIRST + SEEDS; seed++) {
            Graph graph = RandomGraph.of(seed);
            try {
                assertThat(onDevices(graph, seed)).isEqualTo(onHost(graph, seed));
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }

    private static List<List<Float>> onHost(Graph graph, long seed) {
        var answers = new ArrayList<List<Float>>();
        try (PlanRunner runner = SimulatedPlan.onHost(graph)) {
            for (long request : REQUESTS) {
                answers.addAll(SimulatedPlan.run(runner, seed, request, new Cancellation()));
            }
        }
        return answers;
    }

    private static List<List<Float>> onDevices(Graph graph, long seed) {
        var answers = new ArrayList<List<Float>>();
        try (var plan = new SimulatedPlan(graph, seed)) {
            for (long request : REQUESTS) {
                answers.addAll(plan.run(request));
            }
        }
        return answers;
    }
}
