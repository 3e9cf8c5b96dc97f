package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.get;
import static dev.millrace.providers.testkit.device.Floats.host;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/** The tests of the worked example. */
class TwoStreamsTest {
    @Test
    void numbersAreDoubledInEveryOrder() {
        for (long seed = 0; seed < 100; seed++) {
            try (var machine = new SimulatedMachine(seed)) {
                SimulatedDevice device = machine.device("gpu");
                try (var copies = device.createStream(new StreamOptions("copies"));
                        var kernels = device.createStream(new StreamOptions("kernels"))) {
                    MemorySegment floats = host(21);
                    Thread caller = Thread.currentThread();
                    new TwoStreams(copies, kernels).doubled(floats, failure -> machine.unpark(caller));
                    machine.park("the numbers");
                    assertThat(get(floats)).containsOnly(42);
                }
            }
        }
    }

    @Test
    void aFailureOfTheKernelIsHeard() {
        var heard = new ArrayList<String>();
        try (var machine = new SimulatedMachine(1)) {
            SimulatedDevice device = machine.device("gpu");
            device.faults().at(Fault.ERROR, 1);
            try (var copies = device.createStream(new StreamOptions("copies"));
                    var kernels = device.createStream(new StreamOptions("kernels"))) {
                new TwoStreams(copies, kernels)
                        .doubled(host(21), failure -> heard.add(failure == null ? "done" : failure.getMessage()));
                machine.settle();
            }
        }
        assertThat(heard).containsExactly("double failed on gpu/1: ERROR");
    }

    @Test
    void theWaitIsNeeded() {
        var machine = new SimulatedMachine(1);
        machine.dropWait(0);
        SimulatedDevice device = machine.device("gpu");
        var copies = device.createStream(new StreamOptions("copies"));
        var kernels = device.createStream(new StreamOptions("kernels"));
        new TwoStreams(copies, kernels).doubled(host(21), failure -> {});
        machine.settle();
        assertThat(machine.takeErrors())
                .anySatisfy(error ->
                        assertThat(error).startsWith("race: nothing orders").contains("upload", "double"));
        copies.close();
        kernels.close();
        machine.close();
    }
}
