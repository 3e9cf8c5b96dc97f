package dev.millrace.kernels.layout;

/**
 * One loop of a copy.
 *
 * @param to bytes from one turn to the next where elements are written
 * @param from bytes from one turn to the next where they are read
 */
record CopyLoop(long count, long to, long from) {
    static final CopyLoop ONCE = new CopyLoop(1, 0, 0);

    /** Whether a loop inside of another goes on exactly where it starts again, so that both are one. */
    boolean continues(CopyLoop inner) {
        return to == inner.count * inner.to && from == inner.count * inner.from;
    }
}
