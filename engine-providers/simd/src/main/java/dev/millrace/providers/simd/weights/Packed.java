package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Packed weights, in memory that is filled by the first who wants it. */
final class Packed {
    private static final long ALIGNMENT = 64;

    private final List<Tensor> sources;
    private @Nullable MemorySegment memory;

    Packed(List<Tensor> sources) {
        this.sources = sources;
    }

    static MemorySegment fill(long bytes, Consumer<MemorySegment> pack) {
        MemorySegment memory =
                OwnMemory.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
        pack.accept(memory);
        return memory;
    }

    synchronized MemorySegment get(long bytes, Consumer<MemorySegment> pack) {
        MemorySegment known = memory;
        if (known == null) {
            known = fill(bytes, pack);
            memory = known;
        }
        return known;
    }

    synchronized void set(MemorySegment filled) {
        memory = filled;
    }

    synchronized long bytes() {
        return memory == null ? 0 : memory.byteSize();
    }

    /** Whether it was, or will be, made of the same bytes; not where that can no longer be told. */
    boolean isOf(List<Tensor> others) {
        for (int i = 0; i < sources.size(); i++) {
            Tensor source = sources.get(i);
            Tensor other = others.get(i);
            if (source == other) {
                continue;
            }
            boolean comparable = !source.isClosed()
                    && source.type() == other.type()
                    && source.shape().equals(other.shape());
            if (!comparable || !isSame(source.segment(), other.segment())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(MemorySegment one, MemorySegment other) {
        try {
            return one.mismatch(other) < 0;
        } catch (IllegalStateException _) {
            // the session that it was made for was closed meanwhile
            return false;
        } finally {
            Originals.letGo(other);
        }
    }
}
