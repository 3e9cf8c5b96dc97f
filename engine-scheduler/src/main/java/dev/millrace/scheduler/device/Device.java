package dev.millrace.scheduler.device;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorPlace;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A device that runs kernels: the processor of the host, or one that works on its own while the host goes on. There is
 * one object for each physical device and engine; its provider's factory owns it, and all sessions of the engine share it.
 */
public interface Device extends TensorPlace, AutoCloseable {
    /** The processor that this code runs on. */
    Device CPU = new Device() {
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
            return new UnsupportedOperationException(
                    "the host works without streams, allocators and transfers of its own");
        }

        @Override
        public String toString() {
            return info.name();
        }
    };

    DeviceInfo info();

    /** The kinds of memory that the device has, the default one first. */
    List<MemoryKind> memories();

    /**
     * Whether work is given to streams and done later. All other devices work on the calling thread, in host memory, and
     * have no streams, allocators or transfers.
     */
    boolean isAsynchronous();

    /** The place of values that its kernels read and write where they do not say otherwise. */
    default MemoryPlace place() {
        return isAsynchronous() ? new MemoryPlace(this, MemoryKind.DEFAULT) : MemoryPlace.HOST;
    }

    /** Returns a copy of a tensor in the device's memory, which stays there until it is closed. Waits for the copy. */
    @Override
    default Tensor copyOf(Tensor tensor) {
        return isAsynchronous() ? DeviceTensor.upload(tensor, this) : Tensor.copyOf(tensor);
    }

    /** The allocator of one of its {@link #memories()}. */
    DeviceAllocator allocator(MemoryKind kind);

    /** The copies from and to its memories. */
    DataTransfer transfer();

    DeviceStream createStream(StreamOptions options);

    /**
     * How many streams the device works on at a time, so that independent branches of one run gain by it. The host counts
     * as one: it works on its threads.
     */
    default int concurrentStreams() {
        return 1;
    }

    /** The reason why the device does no further work, once there is one; never waits. */
    default Optional<DeviceFailure> failure() {
        return Optional.empty();
    }

    @Override
    default void close() {}

    /** The copies that a device can do. */
    interface DataTransfer {
        /** Whether a copy from one place to another can be given to a stream of this device. */
        boolean canCopy(MemoryPlace from, MemoryPlace to);

        /** Gives copies to a stream, which does them in order with its other work. Returns before they are done. */
        void copy(List<Copy> batch, DeviceStream stream);
    }
}
