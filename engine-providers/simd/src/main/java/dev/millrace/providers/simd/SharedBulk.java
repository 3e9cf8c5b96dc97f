package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.ContextSink;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/** What was packed, copied and kept for partitions that are compiled together: what they share is there once. */
final class SharedBulk {
    private static final long ALIGNMENT = 64;

    private final ProductKernel products;
    private final IdentityHashMap<Tensor, MemorySegment> upright = new IdentityHashMap<>();
    private final IdentityHashMap<Tensor, MemorySegment> transposed = new IdentityHashMap<>();
    private final IdentityHashMap<Tensor, MemorySegment> copies = new IdentityHashMap<>();
    private final IdentityHashMap<MemorySegment, Integer> kept = new IdentityHashMap<>();

    SharedBulk(ProductKernel products) {
        this.products = products;
    }

    MemorySegment packed(ProductRule rule) {
        IdentityHashMap<Tensor, MemorySegment> done = rule.transposed() ? transposed : upright;
        return done.computeIfAbsent(Objects.requireNonNull(rule.weights().constant()), tensor -> {
            MemorySegment target =
                    Arena.ofAuto().allocate(products.packedBytes(rule.rows(), rule.columns()), ALIGNMENT);
            products.pack(tensor.segment(), rule.transposed(), rule.rows(), rule.columns(), target);
            return target;
        });
    }

    /** The elements of a tensor that need not outlive the compilation. */
    MemorySegment copy(Tensor tensor) {
        return copies.computeIfAbsent(tensor, from -> Tensor.copyOf(from).segment());
    }

    /** The numbers that {@code sink} has for these segments. */
    int[] keep(ContextSink sink, List<MemorySegment> segments) {
        int[] numbers = new int[segments.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = kept.computeIfAbsent(segments.get(i), sink::segment);
        }
        return numbers;
    }
}
