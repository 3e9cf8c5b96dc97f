package dev.millrace.providers.testkit.device;

/** The virtual time that operations of simulated devices take. */
@FunctionalInterface
public interface CostModel {
    /**
     * Returns the duration of an operation in nanoseconds.
     *
     * @param operation the operation's name
     * @param bytes the bytes that it reads and writes
     * @param operations the multiplications with their additions, or 0 where nobody counts them
     */
    long nanos(String operation, long bytes, long operations);

    /** Returns a model in which an operation takes a constant time, and time for its bytes and operations. */
    static CostModel linear(long launchNanos, double bytesPerNano, double operationsPerNano) {
        return (operation, bytes, operations) ->
                launchNanos + Math.round(bytes / bytesPerNano + operations / operationsPerNano);
    }
}
