package dev.millrace.kernels.layout;

import org.jspecify.annotations.Nullable;

/**
 * One loop of a copy.
 *
 * @param to bytes from one turn to the next where elements are written
 * @param from bytes from one turn to the next where they are read
 */
record CopyLoop(long count, long to, long from) {
    static final CopyLoop ONCE = new CopyLoop(1, 0, 0);

    /** Spelled out, since what Java makes has to be linked while the first run waits. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CopyLoop same && count == same.count && to == same.to && from == same.from;
    }

    @Override
    public int hashCode() {
        return Long.hashCode((count * 31 + to) * 31 + from);
    }

    /** Whether a loop inside of another goes on exactly where it starts again, so that both are one. */
    boolean continues(CopyLoop inner) {
        return to == inner.count * inner.to && from == inner.count * inner.from;
    }
}
