package dev.millrace.scheduler.device;

import java.time.Duration;

/**
 * A queue of a device. It does its work in order, while the host goes on. The work has a timeline: {@link #signal} marks
 * the point behind all that the stream was given so far, and returns its time. Times of a stream grow.
 *
 * <p>Giving work to a stream of a lost device may throw a {@link DeviceFailure}; {@link #signal}, {@link #waitFor} and
 * {@link #close} do not.
 *
 * <p>One thread at a time gives work to a stream. {@link #completed}, {@link #whenCompleted} and {@link #await} may be
 * called from any thread.
 */
public interface DeviceStream extends AutoCloseable {
    /** A number that is unique among the streams of a device and stays the same, for allocators and traces. */
    int id();

    Device device();

    /** Marks the point behind all work so far. */
    long signal();

    /**
     * Makes what this stream is given from now on wait until {@code other} has reached {@code time}; the calling thread
     * does not wait. Both streams must have been given what leads there. Where work before that time fails, this stream may
     * fail too, or go on.
     */
    void waitFor(DeviceStream other, long time);

    /** Whether {@link #waitFor} works with {@code other}; the host waits and goes on for streams that cannot. */
    boolean canWaitFor(DeviceStream other);

    /** The latest time that has completed. Never blocks, never falls. */
    long completed();

    /**
     * Calls {@code completion} once when the stream has reached {@code time}: at once where it has. It is called with a
     * failure where work before that time failed or the device was lost, and never not called.
     */
    void whenCompleted(long time, CompletionListener completion);

    /**
     * Hands over what was kept back and blocks until the stream has reached {@code time}, for tests and for closing.
     *
     * @return false where it has not within {@code limit}
     * @throws DeviceFailure where work before that time failed
     */
    boolean await(long time, Duration limit);

    /** Hands work over that the driver may have kept back. Nothing that others wait for is kept back after this. */
    void flush();

    /** Tells the stream that the run that used it has ended and that its work is done. Failures of that work are not told again. */
    default void onRunEnd() {}

    /** Waits for the work that the stream was given, and frees the stream. */
    @Override
    void close();
}
