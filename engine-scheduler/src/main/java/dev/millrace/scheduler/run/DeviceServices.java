package dev.millrace.scheduler.run;

import dev.millrace.scheduler.pool.HostThreads;

/**
 * Threads, streams and weights that the runs on devices share in an engine.
 *
 * @param threads the threads that do the host's part
 * @param streams the streams of the devices
 * @param weights the constants that lie on devices
 */
public record DeviceServices(HostThreads threads, DeviceStreams streams, DeviceWeights weights)
        implements AutoCloseable {
    public static DeviceServices of(HostThreads threads) {
        var streams = new DeviceStreams();
        return new DeviceServices(threads, streams, new DeviceWeights(streams));
    }

    /** Closes the streams, when no plan uses them any more. */
    @Override
    public void close() {
        streams.close();
    }
}
