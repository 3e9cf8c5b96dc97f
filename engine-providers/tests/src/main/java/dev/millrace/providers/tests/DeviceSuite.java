package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import java.util.ArrayList;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Assumptions;

/** Tests the device of the provider, where it works on its own. */
final class DeviceSuite {
    private static final int RUNS = 20;

    private final Subject subject;

    DeviceSuite(Subject subject) {
        this.subject = subject;
    }

    void order() {
        withDevice((_, device) -> DeviceChecks.order(device));
    }

    void notifications() {
        withDevice((_, device) -> DeviceChecks.notifications(device));
    }

    /** Calls a check with the sessions of all small models that use the device. */
    private void withDevice(BiConsumer<Opened, Device> check) {
        try (Subject.Host host = subject.host()) {
            boolean isChecked = false;
            for (SmallModel model : SmallModel.all()) {
                try (Session session = host.session(model.bytes())) {
                    if (host.takesPart(session)) {
                        check.accept(new Opened(host, model, session), Subject.device(session));
                        isChecked = true;
                    }
                }
            }
            Assumptions.assumeTrue(isChecked, "the provider takes no node of the small models");
        }
    }

    private record Opened(Subject.Host host, SmallModel model, Session session) {}

    /** Runs until the memory of the device is warm, and closes all. */
    void memory() {
        var devices = new ArrayList<Device>();
        withDevice((opened, device) -> {
            devices.add(device);
            opened.session().run(opened.model().inputs(3, 0)).close();
            long warm = used(device);
            for (int i = 0; i < RUNS; i++) {
                opened.session().run(opened.model().inputs(3, i)).close();
            }
            assertEquals(warm, used(device), "runs of the same shapes need no more memory");
        });
        devices.forEach(device -> assertEquals(0, used(device), "what is used when all is closed"));
    }

    private static long used(Device device) {
        return device.memories().stream()
                .mapToLong(kind -> device.allocator(kind).statistics().usedBytes())
                .sum();
    }

    /** Leaves results on the device and reads them when the next run has begun. */
    void staying() {
        RunOptions stay = RunOptions.builder().leaveOnDevice(RunOptions.ALL).build();
        withDevice((opened, device) -> {
            assertFalse(device.memories().isEmpty(), "a device has memory");
            assertEquals(MemoryKind.DEFAULT, device.memories().getFirst());
            SmallModel model = opened.model();
            try (Session reference = opened.host().reference(model.bytes())) {
                var left = new ArrayList<Outputs>();
                for (int i = 0; i < 3; i++) {
                    left.add(opened.session().run(model.inputs(2, i), stay));
                }
                for (int i = 0; i < 3; i++) {
                    assertStayed(left.get(i), RunAnswers.of(reference, model.inputs(2, i)), model + ", run " + i);
                }
            }
        });
    }

    private void assertStayed(Outputs left, RunAnswers expected, String what) {
        try (left) {
            RunAnswers.of(left).assertEqual(expected, subject.tests().tolerance(), what);
        }
    }
}
