package dev.millrace.scheduler.event;

import java.util.Map;

/**
 * A period of activity of a device, as its driver reports it.
 *
 * @param category the kind of activity, such as {@code Kernel} or {@code Memcpy}
 * @param name what the device did
 * @param row the part of the device that did it, such as a queue or an engine; each has a row of its own in a trace
 * @param startNanos the start, by the clock of {@link System#nanoTime()}
 * @param arguments further facts, which a trace shows beside the name
 */
public record DeviceActivity(
        String category, String name, String row, long startNanos, long durationNanos, Map<String, String> arguments) {
    public DeviceActivity {
        arguments = Map.copyOf(arguments);
    }
}
