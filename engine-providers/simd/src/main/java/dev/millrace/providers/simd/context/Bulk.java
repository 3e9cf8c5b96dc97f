package dev.millrace.providers.simd.context;

import dev.millrace.graph.tensor.OwnMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The bulk data of one plan. Large pieces, and pieces that must be separate, are segments of their own; small ones
 * share one segment.
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

    /** The position of a piece: the number of its segment and its offset there in bytes. */
    record Place(int segment, long offset) {}

    /** Adds a piece, unless it has been added already, and returns its position. */
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

    /** Returns all segments, once no more pieces are added. */
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
