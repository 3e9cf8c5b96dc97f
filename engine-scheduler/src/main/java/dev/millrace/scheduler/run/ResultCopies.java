package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.plan.SlotPool;
import java.lang.foreign.MemorySegment;

/** Copies of one result that lies in memory that is not its own: an input, a constant. What callers close is used again. */
final class ResultCopies {
    /** Copies of so many runs at once are kept. */
    private static final int KEPT = 16;

    private final SlotPool<MemorySegment> memory = new SlotPool<>(KEPT);
    private final String name;

    ResultCopies(String name) {
        this.name = name;
    }

    Tensor copyOf(ElementType type, Shape shape, MemorySegment content) {
        MemorySegment copy = memory.take();
        if (copy == null || copy.byteSize() != content.byteSize()) {
            copy = HostBlocks.allocate(content.byteSize(), "output '" + name + "' of shape " + shape);
        }
        MemorySegment fitting = copy.copyFrom(content);
        return Tensor.recycling(type, shape, fitting, () -> memory.give(fitting));
    }

    void trim() {
        memory.trim(kept -> {});
    }

    int clear() {
        return memory.clear();
    }
}
