package dev.millrace.session.stream;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The end of something that may come while it is still being begun. The thread that begins it then goes on in its own loop,
 * so that a long row of things that end at once needs no deep stack.
 */
public final class Handover {
    private static final int BEGINNING = 0;
    private static final int UNDER_WAY = 1;
    private static final int ENDED = 2;

    private final AtomicInteger state = new AtomicInteger(BEGINNING);

    /** Called once it is begun. True where it has ended meanwhile: this thread goes on with what follows. */
    public boolean begun() {
        return !state.compareAndSet(BEGINNING, UNDER_WAY);
    }

    /** Called at its end. True where this thread goes on with what follows; false for each call but the first. */
    public boolean ended() {
        return state.getAndSet(ENDED) == UNDER_WAY;
    }
}
