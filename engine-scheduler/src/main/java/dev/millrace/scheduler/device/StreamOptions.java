package dev.millrace.scheduler.device;

/**
 * The options of a stream.
 *
 * @param name the name in traces
 */
public record StreamOptions(String name) {}
