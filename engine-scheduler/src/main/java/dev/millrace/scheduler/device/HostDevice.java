package dev.millrace.scheduler.device;

import java.util.List;
import java.util.Map;

/** The processor that this code runs on. Its work is done when a call returns, in memory that Java allocates. */
final class HostDevice implements Device {
    private final DeviceInfo info = new DeviceInfo("cpu", DeviceType.CPU, "", 0, 0, Map.of());

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<MemoryKind> memories() {
        return List.of(MemoryKind.DEFAULT);
    }

    @Override
    public boolean isAsynchronous() {
        return false;
    }

    @Override
    public DeviceAllocator allocator(MemoryKind kind) {
        throw noStreams();
    }

    @Override
    public DataTransfer transfer() {
        throw noStreams();
    }

    @Override
    public DeviceStream createStream(StreamOptions options) {
        throw noStreams();
    }

    private static UnsupportedOperationException noStreams() {
        return new UnsupportedOperationException("the host works without streams, allocators and transfers of its own");
    }

    @Override
    public String toString() {
        return info.name();
    }
}
