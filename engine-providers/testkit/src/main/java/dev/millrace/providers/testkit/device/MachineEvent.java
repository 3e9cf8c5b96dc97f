package dev.millrace.providers.testkit.device;

/**
 * Something that a simulated machine can do next.
 *
 * @param time the virtual time at which it is due
 * @param isLate whether it comes when there is nothing else to do
 */
record MachineEvent(long time, boolean isLate, Runnable action) {}
