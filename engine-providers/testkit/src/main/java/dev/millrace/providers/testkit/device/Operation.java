package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.DeviceRange;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The work of one kernel on a simulated device.
 *
 * @param reads the ranges that it reads
 * @param writes the ranges that it writes, each completely
 * @param operations the multiplications with their additions, for the {@link CostModel}
 */
public record Operation(String name, List<DeviceRange> reads, List<DeviceRange> writes, long operations, Body body) {
    public Operation {
        reads = List.copyOf(reads);
        writes = List.copyOf(writes);
    }

    /** The code of an operation. */
    @FunctionalInterface
    public interface Body {
        /**
         * Computes.
         *
         * @param reads the content of the ranges that are read
         * @param writes memory for the ranges that are written, with undefined content
         */
        void run(List<MemorySegment> reads, List<MemorySegment> writes);
    }
}
