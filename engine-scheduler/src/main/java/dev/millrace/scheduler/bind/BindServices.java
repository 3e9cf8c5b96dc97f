package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.pool.Scratch;

/** Services of a run for the binding that it waits for. */
public interface BindServices {
    /** Throws if that run was cancelled. */
    void checkCancelled();

    /** The largest number of threads that a launch can use. */
    int parallelism();

    /** Arrays for kernels that are run while binding. */
    Scratch scratch();
}
