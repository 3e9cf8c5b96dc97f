package dev.millrace.providers.testkit.device;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.zip.CRC32;

/**
 * A guard of memory that devices share with the host. What the host does there cannot be seen. So the guard poisons
 * memory that is going to be written, and compares the content of memory that is read with what it was before.
 */
final class HostMemory {
    private static final int CHUNK = 1 << 20;

    private final Consumer<String> errors;
    private final List<Pending> pending = new ArrayList<>();

    /** An operation that has been submitted and has not ended, with what it found. */
    private static final class Pending {
        private final Object work;
        private final List<DeviceOperand> reads;
        private final List<DeviceOperand> writes;
        private final long digest;
        /** Whether an operation has written since what it reads. */
        private boolean isWritten;

        Pending(Object work, List<DeviceOperand> reads, List<DeviceOperand> writes) {
            this.work = work;
            this.reads = reads;
            this.writes = writes;
            digest = digest(reads);
        }

        boolean reads(DeviceOperand memory) {
            return reads.stream().anyMatch(memory::overlaps);
        }

        boolean uses(DeviceOperand memory) {
            return reads(memory) || writes.stream().anyMatch(memory::overlaps);
        }
    }

    HostMemory(Consumer<String> errors) {
        this.errors = errors;
    }

    /** @param work the operation that uses the memory */
    void submitted(Object work, List<DeviceOperand> reads, List<DeviceOperand> writes) {
        List<DeviceOperand> sources = visible(reads);
        List<DeviceOperand> targets = visible(writes);
        if (sources.isEmpty() && targets.isEmpty()) {
            return;
        }
        var submitted = new Pending(work, sources, targets);
        for (DeviceOperand target : targets) {
            if (!submitted.reads(target) && pending.stream().noneMatch(other -> other.uses(target))) {
                target.poison();
            }
        }
        pending.add(submitted);
    }

    private static List<DeviceOperand> visible(List<DeviceOperand> operands) {
        return operands.stream().filter(DeviceOperand::isHostVisible).toList();
    }

    /** Checks what an operation has read, which has not written yet. */
    void ends(Object work, String name) {
        for (Pending each : pending) {
            if (each.work == work) {
                if (!each.isWritten && each.digest != digest(each.reads)) {
                    errors.accept("changed too early: " + name + " reads memory that the host wrote meanwhile");
                }
                for (Pending other : pending) {
                    other.isWritten |= each.writes.stream().anyMatch(other::reads);
                }
            }
        }
        forget(work);
    }

    void forget(Object work) {
        pending.removeIf(each -> each.work == work);
    }

    private static long digest(List<DeviceOperand> sources) {
        var digest = new CRC32();
        for (DeviceOperand source : sources) {
            MemorySegment memory = source.memory();
            for (long at = 0; at < memory.byteSize(); at += CHUNK) {
                long length = Math.min(CHUNK, memory.byteSize() - at);
                digest.update(memory.asSlice(at, length).asByteBuffer());
            }
        }
        return digest.getValue();
    }
}
