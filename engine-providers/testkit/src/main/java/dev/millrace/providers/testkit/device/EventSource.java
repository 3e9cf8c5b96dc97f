package dev.millrace.providers.testkit.device;

import org.jspecify.annotations.Nullable;

/** A part of a simulated machine that does one thing after the other. */
interface EventSource {
    /** Returns what it can do next; null where it is idle or waits. */
    @Nullable
    MachineEvent next();

    /** Whether it has nothing to do and waits for nothing. */
    boolean isIdle();

    /** Returns a line that says what it waits for. */
    String describe();

    /** The virtual time at which it has done what it has done. */
    long time();
}
