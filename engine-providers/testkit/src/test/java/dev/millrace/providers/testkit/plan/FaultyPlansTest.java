package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.testkit.device.Fault;
import dev.millrace.providers.testkit.device.SimulatedDevice;
import dev.millrace.scheduler.Cancellation;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Tests that a fault at any operation of a device ends in the right answer or in one error of its caller, and that
 * everything is settled and given back.
 */
class FaultyPlansTest {
    private static final int PLANS = Integer.getInteger("millrace.plans.faulty", 8);
    /** Faults of a device that no run notices. */
    private static final Set<Fault> HARMLESS = EnumSet.of(Fault.LATE, Fault.TWICE);

    private static final Set<Fault> LOSSES = EnumSet.of(Fault.LOST, Fault.NEVER);

    @Test
    void aFaultAtAnyOperationEndsTheRunThatItIsIn() {
        for (long seed = 1; seed <= PLANS; seed++) {
            Graph graph = RandomGraph.of(seed);
            List<List<Float>> expected;
            var operations = new ArrayList<Long>();
            try (var plan = new SimulatedPlan(graph, seed)) {
                expected = plan.run(0);
                plan.devices().forEach(device -> operations.add(device.operations()));
            }
            for (int device = 0; device < operations.size(); device++) {
                for (Fault fault : Fault.values()) {
                    for (long number = 0; number < operations.get(device); number++) {
                        runWith(fault, device, number, graph, seed, expected);
                    }
                }
            }
        }
    }

    private static void runWith(
            Fault fault, int device, long number, Graph graph, long seed, List<List<Float>> expected) {
        String what = "seed " + seed + ", " + fault + " at " + number + " of device " + device;
        try (var plan = new SimulatedPlan(graph, seed)) {
            SimulatedDevice faulty = plan.devices().get(device);
            faulty.faults().at(fault, number + (fault == Fault.OUT_OF_MEMORY ? 0 : faulty.operations()));
            if (fault == Fault.NEVER) {
                plan.machine().execute(faulty::lose);
            }
            try {
                assertThat(plan.run(0)).as(what).isEqualTo(expected);
            } catch (EngineException failure) {
                assertThat(HARMLESS).as(what).doesNotContain(fault);
                assertThat(failure.status()).as(what).isIn(Status.EP_FAIL, Status.FAIL);
            }
            if (LOSSES.contains(fault)) {
                // what other devices were given by then reads what the lost device never made, and waits for it no
                // longer
                plan.machine().settle();
                assertThat(plan.machine().takeErrors())
                        .as(what)
                        .allMatch(error -> error.startsWith("undefined memory") || error.startsWith("race"));
            }
            if (HARMLESS.contains(fault)) {
                assertThat(plan.run(0)).as(what).isEqualTo(expected);
            }
        } catch (RuntimeException | AssertionError failure) {
            throw new AssertionError(what, failure);
        }
    }

    @Test
    void aRunThatIsCancelledAtAnyTimeGivesEverythingBack() {
        for (long seed = 1; seed <= 4 * PLANS; seed++) {
            Graph graph = RandomGraph.of(seed);
            try (var plan = new SimulatedPlan(graph, seed)) {
                List<List<Float>> expected = plan.run(0);
                var cancellation = new Cancellation();
                plan.machine().execute(cancellation::cancel);
                try {
                    assertThat(plan.run(0, cancellation)).isEqualTo(expected);
                } catch (EngineException cancelled) {
                    assertThat(cancelled.status()).isEqualTo(Status.CANCELLED);
                }
                assertThat(plan.run(0)).isEqualTo(expected);
            } catch (RuntimeException | AssertionError failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }
}
