package dev.millrace.session.batch;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.plan.SlotPool;
import java.lang.foreign.MemorySegment;

/**
 * Memory of tensors that are made for each batch, of one value of the model. That of small ones is used again once they are closed: to make
 * it anew takes longer than to fill it. Thread-safe.
 */
final class BatchMemory {
    private static final int KEPT = 64;
    private static final long SMALL = 64 << 10;

    private final SlotPool<MemorySegment> memory = new SlotPool<>(KEPT);

    /** A tensor and what lies in it: whoever writes there leaves its memory to be used again. */
    record Made(Tensor tensor, MemorySegment content) {}

    /** A tensor whose content is anything. */
    Made tensor(ElementType type, Shape shape) {
        long bytes = type.bytes(shape.elements());
        MemorySegment kept = bytes <= SMALL ? memory.take() : null;
        // batches are of many sizes: what is too small for one is left to the collector
        MemorySegment whole =
                kept != null && kept.byteSize() >= bytes ? kept : OwnMemory.allocate(Math.max(1, bytes), 64);
        MemorySegment content = whole.byteSize() == bytes ? whole : whole.asSlice(0, bytes);
        return new Made(Tensor.recycling(type, shape, content, () -> giveBack(whole)), content);
    }

    private void giveBack(MemorySegment whole) {
        if (whole.byteSize() <= SMALL) {
            memory.give(whole);
        }
    }
}
