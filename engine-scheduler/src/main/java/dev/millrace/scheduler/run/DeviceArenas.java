package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.MemoryPlace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The memory of devices that the plans of an engine use: an arena for each place. */
public final class DeviceArenas implements AutoCloseable {
    private final DeviceArena.Options options;
    private final Map<MemoryPlace, DeviceArena> arenas = new LinkedHashMap<>();

    /** @param options the sizes of each arena */
    public DeviceArenas(DeviceArena.Options options) {
        this.options = options;
    }

    private synchronized DeviceArena arena(MemoryPlace place) {
        return arenas.computeIfAbsent(place, key -> new DeviceArena(key, options));
    }

    private synchronized List<DeviceArena> all() {
        return new ArrayList<>(arenas.values());
    }

    /** Allocates a range that all streams may use at once. */
    DeviceRange allocate(MemoryPlace place, long bytes) {
        return arena(place).allocate(bytes);
    }

    /** Frees a range that no work of its device uses any more. */
    void free(DeviceRange range) {
        arena(new MemoryPlace(range.buffer().device(), range.buffer().kind())).free(range);
    }

    /** The statistics of each place that was used. */
    public synchronized Map<MemoryPlace, AllocatorStatistics> statistics() {
        var statistics = new LinkedHashMap<MemoryPlace, AllocatorStatistics>();
        arenas.forEach((place, arena) -> statistics.put(place, arena.statistics()));
        return statistics;
    }

    /** Gives memory back to devices that was not needed since the last call. */
    public void trim() {
        all().forEach(DeviceArena::trim);
    }

    /** Closes the arenas of some devices. */
    void forget(Predicate<? super Device> which) {
        List<DeviceArena> forgotten = new ArrayList<>();
        synchronized (this) {
            arenas.forEach((place, arena) -> {
                if (which.test(place.device())) {
                    forgotten.add(arena);
                }
            });
            arenas.keySet().removeIf(place -> which.test(place.device()));
        }
        forgotten.forEach(DeviceArena::close);
    }

    @Override
    public void close() {
        all().forEach(DeviceArena::close);
    }
}
