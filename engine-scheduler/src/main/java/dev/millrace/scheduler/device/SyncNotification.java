package dev.millrace.scheduler.device;

/** A point in a stream that another stream, or the host, can wait for. */
public interface SyncNotification extends AutoCloseable {
    /** Marks the point: what was queued before it has to be done first. */
    void activate();

    /** Makes {@code consumer} wait for the point on the device; the calling thread does not wait. */
    void waitOnDevice(SyncStream consumer);

    /** Blocks the calling thread until the point is reached. */
    void waitOnHost();

    @Override
    void close();
}
