package dev.millrace.scheduler.device;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A device that has done everything when it is given, and counts what is allocated and open. */
public final class ImmediateDevice implements Device {
    private final DeviceInfo info = new DeviceInfo("immediate", DeviceType.GPU, "test", 0, 0, Map.of());
    private final AtomicLong used = new AtomicLong();
    private final AtomicInteger streams = new AtomicInteger();
    private final AtomicInteger copies = new AtomicInteger();

    private record Buffer(Device device, MemoryKind kind, long byteSize) implements DeviceBuffer {}

    /** The bytes that are allocated. */
    public long used() {
        return used.get();
    }

    /** The number of streams that are open. */
    public int streams() {
        return streams.get();
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
        return new DeviceAllocator() {
            @Override
            public Device device() {
                return ImmediateDevice.this;
            }

            @Override
            public MemoryKind kind() {
                return kind;
            }

            @Override
            public DeviceBuffer allocate(long bytes, DeviceStream stream) {
                used.addAndGet(bytes);
                return new Buffer(ImmediateDevice.this, kind, bytes);
            }

            @Override
            public void free(DeviceBuffer buffer, DeviceStream stream) {
                used.addAndGet(-buffer.byteSize());
            }

            @Override
            public AllocatorStatistics statistics() {
                return new AllocatorStatistics(0, used.get(), used.get(), used.get(), 0, 0);
            }
        };
    }

    /** The number of copies that were done, which move nothing. */
    public int copies() {
        return copies.get();
    }

    @Override
    public Device.DataTransfer transfer() {
        return new Device.DataTransfer() {
            @Override
            public boolean canCopy(MemoryPlace from, MemoryPlace to) {
                return true;
            }

            @Override
            public void copy(List<Copy> batch, DeviceStream stream) {
                copies.addAndGet(batch.size());
            }
        };
    }

    @Override
    public DeviceStream createStream(StreamOptions options) {
        return new Stream(streams.incrementAndGet());
    }

    private final class Stream implements DeviceStream {
        private final int id;

        Stream(int id) {
            this.id = id;
        }

        @Override
        public int id() {
            return id;
        }

        @Override
        public Device device() {
            return ImmediateDevice.this;
        }

        @Override
        public long signal() {
            return 0;
        }

        @Override
        public void waitFor(DeviceStream other, long time) {
            // all is done
        }

        @Override
        public boolean canWaitFor(DeviceStream other) {
            return true;
        }

        @Override
        public long completed() {
            return 0;
        }

        @Override
        public void whenCompleted(long time, CompletionListener completion) {
            completion.completed(null);
        }

        @Override
        public boolean await(long time, Duration limit) {
            return true;
        }

        @Override
        public void flush() {
            // nothing is kept back
        }

        @Override
        public void close() {
            streams.decrementAndGet();
        }
    }
}
