package dev.millrace.providers.tests;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.providers.testkit.device.MachineOptions;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import org.junit.jupiter.api.Test;

/** Runs the checks of devices over simulated ones, whose seed decides all that hardware leaves open. */
class SimulatedDeviceTest {
    private static final int SEEDS = 100;

    @Test
    void simulatedDevicesKeepThePromises() {
        for (long seed = 0; seed < SEEDS; seed++) {
            try (var machine = new SimulatedMachine(seed, MachineOptions.drawn(seed))) {
                DeviceChecks.order(machine.device("one"));
                DeviceChecks.notifications(machine.device("two"));
            }
        }
    }

    @Test
    void aDeviceThatForgetsAWaitIsFound() {
        var machine = new SimulatedMachine(1);
        machine.dropWait(0);
        assertThatThrownBy(() -> DeviceChecks.order(machine.device("one")))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("copy 0");
    }
}
