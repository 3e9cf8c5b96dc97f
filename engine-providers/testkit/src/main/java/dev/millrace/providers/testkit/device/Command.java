package dev.millrace.providers.testkit.device;

/**
 * An entry of a stream.
 *
 * @param time the virtual time at which the host submitted it
 * @param seen what the host knew to be over then
 */
record Command(long time, VectorClock seen, Action action) {

    /** A thing that streams do. */
    sealed interface Action permits QueuedWork, Wait, Signal, Mark {}

    /** A wait for a point of another stream, whose name is for messages. */
    record Wait(Timeline timeline, long time) implements Action {}

    /** A point of the stream's own timeline. */
    record Signal(long time) implements Action {}

    /** A thing that takes no time and needs no hand-over: memory that changes its owner. */
    @FunctionalInterface
    non-sealed interface Mark extends Action {
        /**
         * Happens.
         *
         * @param access the access that the mark is, without what it does
         */
        void happen(MemoryAccess access, VectorClock clock);
    }
}
