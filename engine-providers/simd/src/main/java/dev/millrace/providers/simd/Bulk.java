package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * The segments of one program: each weight packed in one of its own, large constants too, small constants one after the
 * other in one for all of them.
 */
final class Bulk {
    private static final long LARGE = 1 << 16;
    private static final long ALIGNMENT = 64;

    private final SharedBulk shared;
    private final List<MemorySegment> segments = new ArrayList<>();
    private final IdentityHashMap<MemorySegment, Integer> numbers = new IdentityHashMap<>();
    private final List<SimdProgram.Constant> constants = new ArrayList<>();
    private final List<Tensor> small = new ArrayList<>();
    private long smallBytes;
    private int smallSegment = -1;

    Bulk(SharedBulk shared) {
        this.shared = shared;
    }

    /** The number of the segment with these weights. */
    int weights(ProductRule rule) {
        return add(shared.packed(rule));
    }

    private int add(MemorySegment segment) {
        return numbers.computeIfAbsent(segment, one -> {
            segments.add(one);
            return segments.size() - 1;
        });
    }

    /** The number of a constant. */
    int constant(Tensor tensor) {
        long bytes = tensor.segment().byteSize();
        if (bytes >= LARGE) {
            constants.add(new SimdProgram.Constant(add(shared.copy(tensor)), 0, tensor.shape()));
            return constants.size() - 1;
        }
        if (smallSegment < 0) {
            smallSegment = segments.size();
            segments.add(MemorySegment.NULL);
        }
        constants.add(new SimdProgram.Constant(smallSegment, smallBytes, tensor.shape()));
        small.add(tensor);
        smallBytes += (bytes + ALIGNMENT - 1) & -ALIGNMENT;
        return constants.size() - 1;
    }

    List<SimdProgram.Constant> constants() {
        return constants;
    }

    /** All segments, once no constant is added any more. */
    List<MemorySegment> segments() {
        if (smallSegment >= 0) {
            MemorySegment pool = Arena.ofAuto().allocate(smallBytes, ALIGNMENT);
            for (int i = 0, next = 0; i < constants.size(); i++) {
                SimdProgram.Constant constant = constants.get(i);
                if (constant.segment() == smallSegment) {
                    MemorySegment from = small.get(next++).segment();
                    MemorySegment.copy(from, 0, pool, constant.offset(), from.byteSize());
                }
            }
            segments.set(smallSegment, pool);
        }
        return segments;
    }
}
