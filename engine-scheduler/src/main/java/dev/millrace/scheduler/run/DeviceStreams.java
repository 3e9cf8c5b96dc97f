package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.StreamOptions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The streams of devices, which runs take in turns. Each device has a few, so that what is submitted to it and not done
 * is bounded: a run that finds none waits in line, without a thread, and takes what it needs of all its devices at once.
 */
public final class DeviceStreams implements AutoCloseable {
    private static final int STREAMS_OF_A_DEVICE = 4;

    private final int limit;
    private final Map<Device, List<DeviceStream>> free = new HashMap<>();
    private final Map<Device, Integer> made = new HashMap<>();
    private final Deque<Waiting> line = new ArrayDeque<>();
    private boolean isClosed;

    public DeviceStreams() {
        this(STREAMS_OF_A_DEVICE);
    }

    /** @param limit how many runs may have work of one device submitted at a time */
    public DeviceStreams(int limit) {
        this.limit = Math.max(1, limit);
    }

    /** Gets the streams that a run waits for, or the reason why there are none. */
    interface Taker {
        void taken(List<DeviceStream> streams);

        void failed(Throwable reason);
    }

    /** A run that waits for streams. */
    private record Waiting(List<Device> devices, Taker taker) {}

    /**
     * Takes a stream for each of these devices for a run; a device may be there several times. Calls {@code taker} when
     * there is one for each, on this thread or on one that gives streams back.
     */
    void take(List<Device> devices, Taker taker) {
        List<DeviceStream> taken;
        synchronized (this) {
            taken = line.isEmpty() ? takeNow(devices) : null;
            if (taken == null) {
                line.add(new Waiting(devices, taker));
            }
        }
        if (taken != null) {
            taker.taken(taken);
        }
    }

    /** Takes a run out of the line; false where it does not wait there. */
    synchronized boolean leave(Taker taker) {
        return line.removeIf(waiting -> waiting.taker == taker);
    }

    /** Takes streams at once, new ones where none is free: for a run within a run that has its own. */
    synchronized List<DeviceStream> takeBeyondLimit(List<Device> devices) {
        var taken = new ArrayList<DeviceStream>(devices.size());
        try {
            for (Device device : devices) {
                DeviceStream stream = pollFree(device);
                taken.add(stream == null ? make(device) : stream);
            }
            return taken;
        } catch (RuntimeException | Error thrown) {
            taken.forEach(this::giveBack);
            throw thrown;
        }
    }

    /** Takes streams where there are as many as a run wants. A run that wants more than the limit gets them alone. */
    private @Nullable List<DeviceStream> takeNow(List<Device> devices) {
        for (Device device : devices) {
            int there = free.getOrDefault(device, List.of()).size();
            int inUse = made.getOrDefault(device, 0) - there;
            if (inUse > 0 && inUse + Collections.frequency(devices, device) > limit) {
                return null;
            }
        }
        return takeBeyondLimit(devices);
    }

    private @Nullable DeviceStream pollFree(Device device) {
        List<DeviceStream> there = free.get(device);
        return there == null || there.isEmpty() ? null : there.removeLast();
    }

    private DeviceStream make(Device device) {
        int number = made.merge(device, 1, Integer::sum);
        return device.createStream(new StreamOptions(device.info().name() + " stream " + number));
    }

    /** Gives streams back whose work is done. */
    void give(List<DeviceStream> streams) {
        var served = new ArrayList<Runnable>();
        synchronized (this) {
            streams.forEach(this::giveBack);
            for (Iterator<Waiting> waiting = line.iterator(); waiting.hasNext(); ) {
                Waiting first = waiting.next();
                try {
                    List<DeviceStream> taken = takeNow(first.devices);
                    if (taken == null) {
                        break;
                    }
                    served.add(() -> first.taker.taken(taken));
                } catch (RuntimeException | Error thrown) {
                    served.add(() -> first.taker.failed(thrown));
                }
                waiting.remove();
            }
        }
        served.forEach(Runnable::run);
    }

    private void giveBack(DeviceStream stream) {
        Device device = stream.device();
        stream.onRunEnd();
        if (isClosed || made.getOrDefault(device, 0) > limit) {
            made.merge(device, -1, Integer::sum);
            stream.close();
        } else {
            free.computeIfAbsent(device, key -> new ArrayList<>()).add(stream);
        }
    }

    /** Closes the streams of some devices, none of which a run has. */
    synchronized void forget(Predicate<? super Device> which) {
        free.forEach((device, streams) -> {
            if (which.test(device)) {
                streams.forEach(DeviceStream::close);
            }
        });
        free.keySet().removeIf(which);
        made.keySet().removeIf(which);
    }

    /** Closes the streams that no run has; runs under way close theirs when they end. */
    @Override
    public synchronized void close() {
        isClosed = true;
        free.forEach((device, streams) -> {
            made.merge(device, -streams.size(), Integer::sum);
            streams.forEach(DeviceStream::close);
        });
        free.clear();
    }
}
