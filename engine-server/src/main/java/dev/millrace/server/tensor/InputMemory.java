package dev.millrace.server.tensor;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.Blocks;
import dev.millrace.scheduler.plan.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Memory of requests' inputs. That of large inputs is used again once they are closed, or is given back to the operating system
 * at once: a garbage collection, which frees native memory, is rare in a server whose heap hardly fills.
 */
final class InputMemory {
    /** The least block that is kept: smaller ones have no pages of their own. */
    private static final int LEAST_SHIFT = 17;

    private static final int MOST_SHIFT = 21;
    private static final int KEPT_OF_EACH_SIZE = 8;
    private static final long ALIGNMENT = 64;

    /** Blocks of each power of two. */
    private static final List<SlotPool<MemorySegment>> KEPT = Stream.generate(
                    () -> new SlotPool<MemorySegment>(KEPT_OF_EACH_SIZE, Blocks::empty))
            .limit(MOST_SHIFT - LEAST_SHIFT + 1)
            .toList();

    private InputMemory() {}

    /**
     * Returns a tensor in memory that is used again after it is closed.
     *
     * @param source fills all bytes of the segment that it is given
     */
    static Tensor filled(ElementType type, Shape shape, Consumer<MemorySegment> source) {
        long bytes = type.bytes(shape.elements());
        if (bytes < 1 << LEAST_SHIFT) {
            Tensor tensor = Tensor.allocate(type, shape);
            source.accept(tensor.segment());
            return tensor;
        }
        int shift = Long.SIZE - Long.numberOfLeadingZeros(bytes - 1);
        return shift > MOST_SHIFT
                ? filled(type, shape, source, OwnMemory.allocate(bytes, ALIGNMENT), Blocks::empty)
                : filled(type, shape, source, block(shift), KEPT.get(shift - LEAST_SHIFT)::give);
    }

    private static MemorySegment block(int shift) {
        MemorySegment kept = KEPT.get(shift - LEAST_SHIFT).take();
        return kept == null ? OwnMemory.allocate(1L << shift, ALIGNMENT) : kept;
    }

    private static Tensor filled(
            ElementType type,
            Shape shape,
            Consumer<MemorySegment> source,
            MemorySegment block,
            Consumer<MemorySegment> giveBack) {
        MemorySegment content = block.asSlice(0, type.bytes(shape.elements()));
        try {
            source.accept(content);
        } catch (RuntimeException | Error e) {
            giveBack.accept(block);
            throw e;
        }
        return Tensor.recycling(type, shape, content, () -> giveBack.accept(block));
    }
}
