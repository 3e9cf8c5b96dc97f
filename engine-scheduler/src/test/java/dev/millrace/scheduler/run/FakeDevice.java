package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.Device.DataTransfer;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceInfo;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.device.StreamOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A device in the memory of the host. An asynchronous one has streams, whose work is done when it is given to them. */
final class FakeDevice implements Device {
    private final DeviceInfo info;
    private final boolean asynchronous;

    FakeDevice(String name, boolean asynchronous) {
        this.info = new DeviceInfo(name, DeviceType.GPU, "", 0, 0, Map.of());
        this.asynchronous = asynchronous;
    }

    @Override
    public DeviceInfo info() {
        return info;
    }

    @Override
    public List<MemoryKind> memories() {
        return List.of();
    }

    @Override
    public boolean isAsynchronous() {
        return asynchronous;
    }

    @Override
    public MemoryPlace place() {
        return MemoryPlace.HOST;
    }

    @Override
    public DeviceAllocator allocator(MemoryKind kind) {
        throw new AssertionError();
    }

    @Override
    public DataTransfer transfer() {
        throw new AssertionError();
    }

    @Override
    public DeviceStream createStream(StreamOptions options) {
        return new Done();
    }

    private final class Done implements DeviceStream {
        private volatile long time;

        @Override
        public int id() {
            return 0;
        }

        @Override
        public Device device() {
            return FakeDevice.this;
        }

        @Override
        public long signal() {
            return ++time;
        }

        @Override
        public void waitFor(DeviceStream other, long until) {}

        @Override
        public boolean canWaitFor(DeviceStream other) {
            return true;
        }

        @Override
        public long completed() {
            return time;
        }

        @Override
        public void whenCompleted(long until, CompletionListener completion) {
            completion.completed(null);
        }

        @Override
        public boolean await(long until, Duration limit) {
            return true;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
