package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.plan.SlotPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Memory for what dynamic steps make, kept from run to run: the first piece of a run is that of the run before. A piece
 * that results lie in becomes the caller's, and serves again when all of them are closed.
 */
final class DynamicMemory {
    /** Further pieces are fresh in every run. */
    private static final int KEPT = 16;

    private final List<Place> places = new ArrayList<>();
    private int taken;
    /** How many pieces a run has taken at most since the last trim. */
    private int most;

    /** A tensor that holds garbage, until the next {@link #reset()}. */
    Tensor allocate(ElementType type, Shape shape, String purpose) {
        long bytes = type.bytes(shape.elements());
        int number = taken++;
        most = Math.max(most, taken);
        if (number >= KEPT) {
            return Tensor.wrap(type, shape, StretchState.allocate(bytes, purpose));
        }
        if (number == places.size()) {
            places.add(new Place());
        }
        return Tensor.wrap(type, shape, places.get(number).piece(bytes, purpose).memory);
    }

    /**
     * A result of the run that ends, in the memory where a dynamic step has made it, which becomes the caller's; null
     * where it lies elsewhere, or is a result already.
     */
    @Nullable
    Tensor handOver(Tensor result) {
        if (result.type() == ElementType.STRING || result.elements() == 0) {
            return null;
        }
        MemorySegment memory = result.segment();
        for (int i = 0; i < Math.min(taken, places.size()); i++) {
            Place place = places.get(i);
            Piece piece = place.piece;
            if (piece != null && piece.holds(memory)) {
                return piece.results.add(memory.address()) ? place.result(piece, result, memory) : null;
            }
        }
        return null;
    }

    /** Ends a run: nobody reads its pieces any more, but for the results. */
    void reset() {
        for (int i = 0; i < Math.min(taken, places.size()); i++) {
            places.get(i).reset();
        }
        taken = 0;
    }

    /** Drops what no run has taken since the last call. */
    void trim() {
        while (places.size() > most) {
            places.removeLast();
        }
        for (Place place : places) {
            place.closed.trim(piece -> {});
        }
        most = 0;
    }

    private static final class Piece {
        final MemorySegment memory;
        /** The addresses of the results that lie in it. */
        final Set<Long> results = new HashSet<>();

        final AtomicInteger open = new AtomicInteger();

        Piece(MemorySegment memory) {
            this.memory = memory;
        }

        boolean holds(MemorySegment part) {
            long offset = part.address() - memory.address();
            return offset >= 0 && offset < memory.byteSize();
        }

        /** What is far too large is not kept for something small. */
        boolean fits(long bytes) {
            return memory.byteSize() >= bytes && memory.byteSize() / 4 <= bytes;
        }
    }

    /** The pieces that take one number in the runs of a frame, one at a time. */
    private static final class Place {
        @Nullable
        Piece piece;

        final SlotPool<Piece> closed = new SlotPool<>(KEPT);

        Piece piece(long bytes, String purpose) {
            Piece there = piece == null ? closed.take() : piece;
            Piece fitting =
                    there != null && there.fits(bytes) ? there : new Piece(StretchState.allocate(bytes, purpose));
            piece = fitting;
            return fitting;
        }

        Tensor result(Piece shared, Tensor result, MemorySegment memory) {
            shared.open.incrementAndGet();
            return Tensor.recycling(result.type(), result.shape(), memory, () -> {
                if (shared.open.decrementAndGet() == 0) {
                    shared.results.clear();
                    closed.give(shared);
                }
            });
        }

        void reset() {
            if (piece != null && !piece.results.isEmpty()) {
                piece = null;
            }
        }
    }
}
