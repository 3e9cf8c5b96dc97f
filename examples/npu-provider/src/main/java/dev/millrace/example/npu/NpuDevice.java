package dev.millrace.example.npu;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceInfo;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.device.StreamOptions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The simulated NPU: memory that the host only copies to and from, and streams that work on threads of their own. */
final class NpuDevice implements Device {
    private final DeviceInfo info;
    private final NpuMemory memory = new NpuMemory(this);
    private final DataTransfer transfer = new Transfer();
    private final AtomicInteger streams = new AtomicInteger();
    private volatile @Nullable DeviceFailure failure;

    NpuDevice(NpuTarget target) {
        info = new DeviceInfo(
                NpuTarget.NAME,
                DeviceType.NPU,
                NpuTarget.VENDOR,
                0,
                target.generation(),
                Map.of("driver", Integer.toString(target.driver())));
    }

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
        return true;
    }

    @Override
    public DeviceAllocator allocator(MemoryKind kind) {
        if (kind != MemoryKind.DEFAULT) {
            throw new IllegalArgumentException("the NPU has no memory of kind " + kind);
        }
        return memory;
    }

    @Override
    public DataTransfer transfer() {
        return transfer;
    }

    @Override
    public NpuStream createStream(StreamOptions options) {
        return new NpuStream(this, streams.incrementAndGet(), options.name());
    }

    @Override
    public int concurrentStreams() {
        return 2;
    }

    @Override
    public Optional<DeviceFailure> failure() {
        return Optional.ofNullable(failure);
    }

    /** Loses the device: it does nothing more. */
    void lose(String reason) {
        failure = new DeviceFailure("the NPU is lost: " + reason, true);
    }

    @Override
    public String toString() {
        return info.name();
    }

    private static final class Transfer implements DataTransfer {
        @Override
        public boolean canCopy(MemoryPlace from, MemoryPlace to) {
            return isReached(from) && isReached(to);
        }

        private static boolean isReached(MemoryPlace place) {
            return place.isHost() || place.device() instanceof NpuDevice;
        }

        @Override
        public void copy(List<Copy> batch, DeviceStream stream) {
            ((NpuStream) stream).submit(() -> batch.forEach(Transfer::copy));
        }

        private static void copy(Copy copy) {
            switch (copy) {
                case Copy.Upload up -> NpuMemory.of(up.to()).copyFrom(up.from());
                case Copy.Download down -> down.to().copyFrom(NpuMemory.of(down.from()));
                case Copy.Transfer within -> NpuMemory.of(within.to()).copyFrom(NpuMemory.of(within.from()));
            }
        }
    }
}
