package dev.millrace.scheduler.kernel;

import dev.millrace.scheduler.pool.Scratch;

/** A part of a launch that may run beside others. It is a field of the launch, not a fresh lambda per run. */
@FunctionalInterface
public interface RangeTask {
    /** Does the items in {@code [from, to)}, with arrays of the executing thread. */
    void run(LaunchContext context, long from, long to, Scratch scratch);
}
