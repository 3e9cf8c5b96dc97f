package dev.millrace.providers.testkit.device;

/**
 * An operation that has run, with its virtual times in nanoseconds.
 *
 * @param device the device's name, or {@code host}
 * @param stream the number of the stream on the device
 */
public record ScheduledOperation(String device, int stream, String name, long start, long end) {}
