package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.BYTES;

import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.StreamOptions;

/** A machine of one device with two streams. */
abstract class OneDevice {
    final SimulatedMachine machine = new SimulatedMachine(1);
    final SimulatedDevice device = machine.device("gpu");
    final SimulatedStream stream = device.createStream(new StreamOptions("one"));
    final SimulatedStream other = device.createStream(new StreamOptions("other"));

    final void settle() {
        stream.flush();
        other.flush();
        machine.settle();
    }

    final DeviceBuffer buffer(MemoryKind kind) {
        return device.allocator(kind).allocate(BYTES, stream);
    }
}
