package dev.millrace.scheduler.device;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** A copy between two memories, at least one of which is a device's. Both sides have the same number of bytes. */
public sealed interface Copy {
    /** A copy of host memory into a device. The host must not change the source until the copy has completed. */
    record Upload(MemorySegment from, DeviceRange to) implements Copy {
        public Upload {
            requireEqual(from.byteSize(), to.bytes());
        }
    }

    /** A copy of device memory into the host. The host must not read the target until the copy has completed. */
    record Download(DeviceRange from, MemorySegment to) implements Copy {
        public Download {
            requireEqual(from.bytes(), to.byteSize());
        }
    }

    /** A copy within a device or between two devices. */
    record Transfer(DeviceRange from, DeviceRange to) implements Copy {
        public Transfer {
            requireEqual(from.bytes(), to.bytes());
        }
    }

    private static void requireEqual(long from, long to) {
        if (Objects.checkIndex(from, Long.MAX_VALUE) != to) {
            throw new IllegalArgumentException("a copy of " + from + " bytes into " + to);
        }
    }
}
