package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Weights in the layouts that kernels read, each packed once. Safe for use by several threads; two that ask for the same
 * weights at the same time wait for one another.
 */
public final class Weights {
    private static final long ALIGNMENT = 64;

    private final ConcurrentHashMap<Key, Packed> packed = new ConcurrentHashMap<>();

    /** The memory of a tensor that lives as long as its model, and what was made of it. */
    private record Key(long address, long bytes, String layout) {}

    /** Memory that is filled by the first who wants it. */
    private static final class Packed {
        private @Nullable MemorySegment memory;

        synchronized MemorySegment get(long bytes, Consumer<MemorySegment> pack) {
            MemorySegment known = memory;
            if (known == null) {
                known = Arena.ofAuto().allocate(Math.max(1, bytes), ALIGNMENT);
                pack.accept(known);
                memory = known;
            }
            return known;
        }

        synchronized long bytes() {
            return memory == null ? 0 : memory.byteSize();
        }
    }

    /** Weights in a layout; {@code pack} fills memory of so many bytes where they are not there yet. */
    public MemorySegment packed(Tensor source, String layout, long bytes, Consumer<MemorySegment> pack) {
        MemorySegment memory = source.segment();
        // a tensor on the heap has no address of its own; its identity is the tensor's
        long address = memory.isNative() ? memory.address() : System.identityHashCode(source);
        var key = new Key(address, memory.byteSize(), layout);
        return packed.computeIfAbsent(key, _ -> new Packed()).get(bytes, pack);
    }

    /** The elements of a tensor where kernels can read them. */
    public MemorySegment plain(Tensor source) {
        MemorySegment memory = source.segment();
        if (memory.isNative()) {
            return memory;
        }
        return packed(source, "plain", memory.byteSize(), target -> target.copyFrom(memory));
    }

    /** How many bytes are held beside the originals. */
    public long bytes() {
        return packed.values().stream().mapToLong(Packed::bytes).sum();
    }
}
