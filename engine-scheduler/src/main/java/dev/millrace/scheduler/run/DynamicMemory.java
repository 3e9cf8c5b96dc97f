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
 * Memory for the outputs of dynamic steps, kept from run to run: the n-th piece of a run is the n-th of the run before.
 * A piece that holds results becomes the caller's, and is reused when all of them are closed.
 */
final class DynamicMemory {
    /** The number of pieces that are kept; further ones are allocated in every run. */
    private static final int KEPT = 16;

    private final List<Place> places = new ArrayList<>();
    private int taken;
    /** The largest number of pieces that a run has taken since the last trim. */
    private int most;

    /** Allocates a tensor with undefined content, which is valid until the next {@link #reset()}. */
    Tensor allocate(ElementType type, Shape shape, String purpose) {
        long bytes = type.bytes(shape.elements());
        int number = taken++;
        most = Math.max(most, taken);
        if (number >= KEPT) {
            return Tensor.wrap(type, shape, HostBlocks.allocate(bytes, purpose));
        }
        if (number == places.size()) {
            places.add(new Place());
        }
        return Tensor.wrap(type, shape, places.get(number).piece(bytes, purpose).memory);
    }

    /**
     * Returns a result of the ending run as a tensor that passes the memory of a dynamic step on to the caller; null
     * where the result is in other memory, or was passed on already.
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

    /** Ends a run: its pieces may be reused, but for those that hold results. */
    void reset() {
        for (int i = 0; i < Math.min(taken, places.size()); i++) {
            places.get(i).reset();
        }
        taken = 0;
    }

    /** Drops pieces that no run has taken since the last call. */
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
        /** The addresses of the results in it. */
        final Set<Long> results = new HashSet<>();

        final AtomicInteger open = new AtomicInteger();

        Piece(MemorySegment memory) {
            this.memory = memory;
        }

        boolean holds(MemorySegment part) {
            long offset = part.address() - memory.address();
            return offset >= 0 && offset < memory.byteSize();
        }

        /** Whether the piece is large enough, and not more than about four times as large as needed. */
        boolean fits(long bytes) {
            return memory.byteSize() >= bytes && memory.byteSize() / 4 <= bytes;
        }
    }

    /** The pieces for one number in the runs of a frame, one at a time. */
    private static final class Place {
        @Nullable
        Piece piece;

        final SlotPool<Piece> closed = new SlotPool<>(KEPT);

        Piece piece(long bytes, String purpose) {
            Piece there = piece == null ? closed.take() : piece;
            Piece fitting = there != null && there.fits(bytes) ? there : new Piece(HostBlocks.allocate(bytes, purpose));
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
