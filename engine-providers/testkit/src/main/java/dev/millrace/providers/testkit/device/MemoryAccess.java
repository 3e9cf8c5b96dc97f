package dev.millrace.providers.testkit.device;

/**
 * An access of an operation to memory.
 *
 * @param operation the operation as messages name it
 * @param stream the index of its stream in vector clocks
 * @param number the number of the operation on its stream, from 1 on
 * @param what the kind of access and the range, as messages name them
 */
record MemoryAccess(String operation, int stream, long number, String what) {
    /** Whether the operation is over when one with this clock starts, or is that one. */
    boolean isKnownTo(VectorClock clock) {
        return clock.get(stream) >= number;
    }

    @Override
    public String toString() {
        return operation + " " + what;
    }
}
