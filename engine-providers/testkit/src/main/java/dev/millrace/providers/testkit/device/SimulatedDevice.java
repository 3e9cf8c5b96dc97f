package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.Device.DataTransfer;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceInfo;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.StreamOptions;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A device of a {@link SimulatedMachine}, with all kinds of memory. */
public final class SimulatedDevice implements Device {
    private final Simulation simulation;
    private final DeviceState state;
    private final DeviceInfo info;
    private final int concurrentStreams;
    private final DataTransfer transfer;
    private final Map<MemoryKind, SimulatedAllocator> allocators = new EnumMap<>(MemoryKind.class);
    private final List<SimulatedStream> streams = new ArrayList<>();
    private boolean isClosed;

    SimulatedDevice(Simulation simulation, int number, String name, int concurrentStreams) {
        this.simulation = simulation;
        this.concurrentStreams = concurrentStreams;
        state = new DeviceState(name);
        info = new DeviceInfo(name, DeviceType.GPU, "simulated", 0, number, Map.of());
        transfer = new SimulatedTransfer(this, simulation.options().copiesBetweenDevices());
        for (MemoryKind kind : MemoryKind.values()) {
            allocators.put(kind, new SimulatedAllocator(simulation, state, this, kind));
        }
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<MemoryKind> memories() {
        return List.of(MemoryKind.values());
    }

    @Override
    public boolean isAsynchronous() {
        return true;
    }

    @Override
    public DeviceAllocator allocator(MemoryKind kind) {
        checkOpen("allocator");
        return Objects.requireNonNull(allocators.get(kind));
    }

    @Override
    public DataTransfer transfer() {
        checkOpen("transfer");
        return transfer;
    }

    @Override
    public SimulatedStream createStream(StreamOptions options) {
        checkOpen("createStream");
        state.checkNotLost();
        var stream = new SimulatedStream(simulation, state, this, streams.size(), options.name());
        streams.add(stream);
        return stream;
    }

    @Override
    public int concurrentStreams() {
        return concurrentStreams;
    }

    @Override
    public Optional<DeviceFailure> failure() {
        return Optional.ofNullable(state.failure());
    }

    /** The faults that the device is to have, to which more may be added at any time. */
    public Faults faults() {
        return state.faults();
    }

    /** The number of operations that the device has been given, which is the number of the next one. */
    public long operations() {
        return state.operations();
    }

    /** Bounds the bytes of a kind of memory. */
    public void limit(MemoryKind kind, long bytes) {
        Objects.requireNonNull(allocators.get(kind)).limit(bytes);
    }

    /** Loses the device: nothing that it has been given completes, and those who wait are told. */
    public void lose() {
        state.lose("the test said so");
    }

    private void checkOpen(String use) {
        simulation.checkThread();
        if (isClosed) {
            simulation.error("use after close: " + use + " of " + this);
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** Closes the device. Buffers and streams that are still open are errors. */
    @Override
    public void close() {
        if (!isClosed) {
            isClosed = true;
            streams.stream()
                    .filter(stream -> !stream.isClosed())
                    .forEach(stream -> simulation.error("left open: stream " + stream));
            allocators.values().forEach(allocator -> {
                allocator.open().forEach(buffer -> simulation.error("left open: buffer " + buffer));
                allocator.shrink(0);
            });
        }
    }

    @Override
    public String toString() {
        return info.name();
    }
}
