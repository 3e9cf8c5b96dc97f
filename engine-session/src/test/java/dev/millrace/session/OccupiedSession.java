package dev.millrace.session;

import java.util.concurrent.CountDownLatch;

/** Holds a run thread of a session, as somebody does who is slow to take an answer. */
final class OccupiedSession implements AutoCloseable {
    private final CountDownLatch go = new CountDownLatch(1);

    private OccupiedSession() {}

    /** Returns when the thread is held. */
    static OccupiedSession of(Session session, Inputs inputs) throws InterruptedException {
        var occupied = new OccupiedSession();
        var begun = new CountDownLatch(1);
        session.mono(inputs).subscribe(outputs -> {
            outputs.close();
            begun.countDown();
            occupied.hold();
        });
        begun.await();
        return occupied;
    }

    private void hold() {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Lets the thread go. */
    @Override
    public void close() {
        go.countDown();
    }
}
