package dev.millrace.providers.testkit.device;

/** The faults of simulated devices. */
public enum Fault {
    /** A stream refuses an operation: submitting it throws. */
    REFUSED,
    /** An operation fails; what it should have written is garbage. */
    ERROR,
    /**
     * An operation fails, and its stream tells so late: times that have further work behind them complete without a
     * failure.
     */
    LATE_ERROR,
    /** An operation fails, and all operations of the device that end after it fail too. */
    STICKY_ERROR,
    /** A copy fails when it has written half of its bytes. */
    HALF_COPY,
    /** An operation takes long, and its completion is told when nothing else is left to do. */
    LATE,
    /** An operation does not end before the device is lost. */
    NEVER,
    /** The completion of the next time behind an operation is told twice. */
    TWICE,
    /** The device is lost when an operation starts. */
    LOST,
    /** An allocator has no memory. Counts allocations, where the other faults count operations. */
    OUT_OF_MEMORY
}
