package dev.millrace.scheduler.device;

/** A queue of a device that takes work in order and does it while the host goes on. One frame uses it at a time. */
public interface SyncStream extends AutoCloseable {
    /** A point in this queue that others can wait for; it is in use from its activation to its next one. */
    SyncNotification createNotification();

    /** Hands queued work to the device without waiting for it. */
    void flush();

    /** Called when a run that used this stream has ended, before the stream is given to the next one. */
    default void onRunEnd() {}

    @Override
    void close();
}
