package dev.millrace.providers.testkit.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An operation in a stream.
 *
 * @param nanos its duration
 * @param fault the fault that it is to have, or null
 * @param readsAtStart whether it reads when it starts; otherwise it reads when it ends, which is when it writes
 */
record QueuedWork(
        String name,
        List<DeviceOperand> reads,
        List<DeviceOperand> writes,
        long nanos,
        Operation.Body body,
        @Nullable Fault fault,
        boolean isCopy,
        boolean readsAtStart)
        implements Command.Action {

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    /** Whether the memory is there still; memory of the host may have been freed. */
    boolean hasMemory() {
        return Stream.concat(reads.stream(), writes.stream())
                .allMatch(operand -> operand.memory().scope().isAlive());
    }

    /** Returns a copy of what the operation reads. */
    List<MemorySegment> content(Arena arena) {
        var content = new ArrayList<MemorySegment>();
        for (DeviceOperand operand : reads) {
            content.add(memory(operand, arena).copyFrom(operand.memory()));
        }
        return content;
    }

    /** Makes what a kernel writes undefined while it runs; a copy leaves its target alone until it writes. */
    void start() {
        if (!isCopy) {
            for (DeviceOperand target : writes) {
                if (reads.stream().noneMatch(target::overlaps)) {
                    target.poison();
                }
            }
        }
    }

    /** Computes on memory of its own, and writes what it is to write. */
    void compute(List<MemorySegment> content, Arena arena) {
        var results = new ArrayList<MemorySegment>();
        for (DeviceOperand operand : writes) {
            results.add(memory(operand, arena).fill(DeviceOperand.POISON));
        }
        body.run(content, results);
        for (int i = 0; i < results.size(); i++) {
            writes.get(i).memory().copyFrom(results.get(i));
        }
    }

    /** Leaves garbage where the operation should have written; a copy of a half writes that half. */
    void fail(List<MemorySegment> content) {
        writes.forEach(DeviceOperand::poison);
        if (fault == Fault.HALF_COPY) {
            long half = content.getFirst().byteSize() / 2;
            MemorySegment.copy(content.getFirst(), 0, writes.getFirst().memory(), 0, half);
        }
    }

    private static MemorySegment memory(DeviceOperand operand, Arena arena) {
        return arena.allocate(operand.memory().byteSize(), 64);
    }
}
