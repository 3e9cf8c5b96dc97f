package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.Device.DataTransfer;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceInfo;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A device whose work is done by one thread of its own, while the host goes on: for tests of threads, of many runs at a
 * time and of the time that they take. Kernels are those of {@link SimulatedKernel}.
 */
public final class ThreadedDevice implements Device {
    private final DeviceInfo info;
    private final ThreadedAllocator allocator;
    private final AtomicInteger hostCopies = new AtomicInteger();
    private final DataTransfer transfer = new Transfer(hostCopies);
    private final DeviceThread thread;
    private final AtomicInteger ids = new AtomicInteger();
    private final Set<ThreadedStream> open = ConcurrentHashMap.newKeySet();

    /** @param operationNanos how long an operation takes at least */
    public ThreadedDevice(String name, long operationNanos) {
        info = new DeviceInfo(name, DeviceType.GPU, "threaded", 0, 0, Map.of());
        allocator = new ThreadedAllocator(this);
        thread = new DeviceThread(name, operationNanos);
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
            throw new IllegalArgumentException(info.name() + " has no memory of kind " + kind);
        }
        return allocator;
    }

    @Override
    public DataTransfer transfer() {
        return transfer;
    }

    @Override
    public DeviceStream createStream(StreamOptions options) {
        var stream = new ThreadedStream(this, thread, ids.incrementAndGet(), open::remove);
        open.add(stream);
        return stream;
    }

    /** Lets one in so many operations fail; 0 for none. */
    public void failOneIn(int operations) {
        thread.failOneIn(operations);
    }

    /** The number of copies between the host and the device so far. */
    public int hostCopies() {
        return hostCopies.get();
    }

    /** The number of streams that are open. */
    public int openStreams() {
        return open.size();
    }

    /** The bytes that are allocated. */
    public long usedBytes() {
        return allocator.statistics().usedBytes();
    }

    /** How often its allocator was asked to shrink. */
    public long shrinkages() {
        return allocator.statistics().shrinkages();
    }

    /** Ends the thread. */
    @Override
    public void close() {
        thread.close();
    }

    /** @param hostCopies counts the copies from and to the host */
    private record Transfer(AtomicInteger hostCopies) implements DataTransfer {
        @Override
        public boolean canCopy(MemoryPlace from, MemoryPlace to) {
            return isOurs(from) && isOurs(to);
        }

        private static boolean isOurs(MemoryPlace place) {
            return !place.device().isAsynchronous() || place.device() instanceof ThreadedDevice;
        }

        @Override
        public void copy(List<Copy> batch, DeviceStream stream) {
            var threaded = (ThreadedStream) stream;
            for (Copy copy : batch) {
                if (!(copy instanceof Copy.Transfer)) {
                    hostCopies.incrementAndGet();
                }
                switch (copy) {
                    case Copy.Upload upload ->
                        threaded.add(() -> memory(upload.to()).copyFrom(upload.from()));
                    case Copy.Download download ->
                        threaded.add(() -> download.to().copyFrom(memory(download.from())));
                    case Copy.Transfer inner ->
                        threaded.add(() -> memory(inner.to()).copyFrom(memory(inner.from())));
                }
            }
        }

        private static MemorySegment memory(DeviceRange range) {
            return ThreadedAllocator.memory(range);
        }
    }
}
