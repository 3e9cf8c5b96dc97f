package dev.millrace.providers.simd.context;

import dev.millrace.graph.tensor.OwnMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The bulk data of one plan: large pieces are segments of their own, and so are those that stand apart; small ones lie in
 * one segment together.
 */
final class Bulk {
    private static final long LARGE = 1 << 16;

    private final Predicate<MemorySegment> apart;
    private final Map<MemorySegment, Place> places = new HashMap<>();
    private final List<MemorySegment> segments = new ArrayList<>();
    private final List<MemorySegment> small = new ArrayList<>();
    private int pool = -1;
    private long poolBytes;

    Bulk(Predicate<MemorySegment> apart) {
        this.apart = apart;
    }

    /** Where a piece lies. */
    record Place(int segment, long offset) {}

    /** Adds a piece, unless it is there. */
    Place place(MemorySegment piece) {
        return places.computeIfAbsent(piece, this::add);
    }

    private Place add(MemorySegment piece) {
        if (piece.byteSize() >= LARGE || apart.test(piece)) {
            segments.add(piece);
            return new Place(segments.size() - 1, 0);
        }
        if (pool < 0) {
            pool = segments.size();
            segments.add(MemorySegment.NULL);
        }
        long offset = poolBytes;
        small.add(piece);
        poolBytes = PlanFormat.align(offset + piece.byteSize(), PlanFormat.ALIGNMENT);
        return new Place(pool, offset);
    }

    /** All segments, once nothing is added any more. */
    List<MemorySegment> segments() {
        if (pool >= 0) {
            segments.set(pool, joined());
        }
        return segments;
    }

    private MemorySegment joined() {
        MemorySegment memory = OwnMemory.allocate(Math.max(1, poolBytes), PlanFormat.ALIGNMENT);
        long offset = 0;
        for (MemorySegment piece : small) {
            MemorySegment.copy(piece, 0, memory, offset, piece.byteSize());
            offset = PlanFormat.align(offset + piece.byteSize(), PlanFormat.ALIGNMENT);
        }
        return memory;
    }
}
