package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.pool.HostThreads;
import java.util.function.Predicate;

/**
 * Threads, streams, memory and weights that the runs on devices share in an engine.
 *
 * @param threads the threads that do the host's part
 * @param streams the streams of the devices
 * @param memory the memory of the devices
 * @param weights the constants that lie on devices
 */
public record DeviceServices(HostThreads threads, DeviceStreams streams, DeviceArenas memory, DeviceWeights weights)
        implements AutoCloseable {
    public static DeviceServices of(HostThreads threads) {
        return of(threads, new DeviceStreams(), DeviceArena.Options.DEFAULT);
    }

    /** @param options the sizes of the arena of each place */
    public static DeviceServices of(HostThreads threads, DeviceStreams streams, DeviceArena.Options options) {
        var memory = new DeviceArenas(options);
        return new DeviceServices(threads, streams, memory, new DeviceWeights(streams, memory));
    }

    /** Closes the streams of some devices and gives their memory back, when no plan uses these devices any more. */
    public void forget(Predicate<? super Device> which) {
        streams.forget(which);
        memory.forget(which);
    }

    /** Closes the streams and gives the memory back, when no plan uses them any more. */
    @Override
    public void close() {
        streams.close();
        memory.close();
    }
}
