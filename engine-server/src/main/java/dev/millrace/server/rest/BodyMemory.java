package dev.millrace.server.rest;

import java.util.concurrent.atomic.AtomicLong;

/** The bytes that one request's body takes of what all bodies together may take. */
public final class BodyMemory implements AutoCloseable {
    private final AtomicLong taken;
    private final long most;
    private long own;
    private boolean closed;

    /**
     * @param taken the bytes of all bodies
     * @param most the most bytes of all bodies
     */
    BodyMemory(AtomicLong taken, long most) {
        this.taken = taken;
        this.most = most;
    }

    /** Takes so many bytes more; false if they are not left. */
    synchronized boolean reserve(long bytes) {
        if (closed || taken.addAndGet(bytes) > most) {
            if (!closed) {
                taken.addAndGet(-bytes);
            }
            return false;
        }
        own += bytes;
        return true;
    }

    /** Gives all bytes back. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            taken.addAndGet(-own);
        }
    }
}
