package dev.millrace.scheduler.device;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.RemoteContent;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The content of a tensor that lies on a device. It is freed when the tensor is closed, or when nobody reaches it any
 * more. Reading the tensor on the host copies the content there once.
 */
public final class DeviceTensor implements RemoteContent {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final DeviceRange range;
    private final Cleaner.Cleanable memory;
    private @Nullable MemorySegment copy;

    private DeviceTensor(DeviceRange range, Consumer<DeviceRange> release) {
        this.range = range;
        this.memory = CLEANER.register(this, () -> release.accept(range));
    }

    /**
     * Returns a tensor over a range of device memory whose work is done.
     *
     * @param release frees the range; called once, on any thread
     */
    public static Tensor of(ElementType type, Shape shape, DeviceRange range, Consumer<DeviceRange> release) {
        return Tensor.remote(type, shape, new DeviceTensor(range, release));
    }

    /** Returns the range of a tensor's content on a device; null where it lies on the host. */
    public static @Nullable DeviceRange rangeOf(Tensor tensor) {
        return tensor.remoteContent() instanceof DeviceTensor content ? content.range : null;
    }

    /** Copies a tensor to a device, and waits until it is there. */
    static Tensor upload(Tensor tensor, Device device) {
        if (tensor.type() == ElementType.STRING) {
            throw EngineException.notImplemented(
                    "strings cannot lie on " + device.info().name());
        }
        MemorySegment content = tensor.segment();
        DeviceAllocator allocator = device.allocator(MemoryKind.DEFAULT);
        try (DeviceStream stream =
                device.createStream(new StreamOptions(device.info().name() + " upload"))) {
            DeviceBuffer buffer = allocator.allocate(Math.max(1, content.byteSize()), stream);
            try {
                var range = new DeviceRange(buffer, 0, content.byteSize());
                if (content.byteSize() > 0) {
                    copy(new Copy.Upload(content, range), stream);
                }
                return of(tensor.type(), tensor.shape(), range, DeviceTensor::free);
            } catch (RuntimeException | Error thrown) {
                allocator.free(buffer, stream);
                throw thrown;
            }
        }
    }

    private static void copy(Copy copy, DeviceStream stream) {
        try {
            stream.device().transfer().copy(List.of(copy), stream);
            long time = stream.signal();
            stream.flush();
            while (!stream.await(time, LOOK)) {
                Thread.onSpinWait();
            }
        } catch (DeviceFailure e) {
            throw new EngineException(Status.EP_FAIL, stream.device().info().name() + ": " + e.getMessage(), e);
        }
    }

    private static void free(DeviceRange range) {
        DeviceBuffer buffer = range.buffer();
        Device device = buffer.device();
        try (DeviceStream stream =
                device.createStream(new StreamOptions(device.info().name() + " memory"))) {
            device.allocator(buffer.kind()).free(buffer, stream);
        }
    }

    /** Notes that the content of a tensor is about to change, so that the next read copies it again. */
    public static void changes(Tensor tensor) {
        if (tensor.remoteContent() instanceof DeviceTensor content) {
            content.forget();
        }
    }

    private synchronized void forget() {
        copy = null;
    }

    @Override
    public synchronized MemorySegment onHost() {
        MemorySegment known = copy;
        if (known == null) {
            known = Arena.ofAuto().allocate(Math.max(1, range.bytes()), 64).asSlice(0, range.bytes());
            if (range.bytes() > 0) {
                Device device = range.buffer().device();
                try (DeviceStream stream =
                        device.createStream(new StreamOptions(device.info().name() + " download"))) {
                    copy(new Copy.Download(range, known), stream);
                }
            }
            copy = known;
        }
        return known;
    }

    @Override
    public void free() {
        memory.clean();
    }
}
