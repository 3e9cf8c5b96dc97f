package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Memory for what dynamic steps make, kept from run to run: the first piece of a run is that of the run before. */
final class DynamicMemory {
    /** Further pieces are fresh in every run. */
    private static final int KEPT = 16;

    private final List<MemorySegment> kept = new ArrayList<>();
    private int taken;
    /** How many pieces a run has taken at most since the last trim. */
    private int most;

    /** A tensor that holds garbage, until the next {@link #reset()}. */
    Tensor allocate(ElementType type, Shape shape, String purpose) {
        long bytes = type.bytes(shape.elements());
        int piece = taken++;
        most = Math.max(most, taken);
        if (piece >= KEPT) {
            return Tensor.wrap(type, shape, StretchState.allocate(bytes, purpose));
        }
        if (piece == kept.size()) {
            kept.add(MemorySegment.NULL);
        }
        if (!fits(kept.get(piece).byteSize(), bytes)) {
            kept.set(piece, StretchState.allocate(bytes, purpose));
        }
        return Tensor.wrap(type, shape, kept.get(piece));
    }

    /** What is far too large is not kept for something small. */
    private static boolean fits(long there, long bytes) {
        return there >= bytes && there / 4 <= bytes;
    }

    /** Ends a run: nobody reads its pieces any more. */
    void reset() {
        taken = 0;
    }

    /** Drops what no run has taken since the last call. */
    void trim() {
        while (kept.size() > most) {
            kept.removeLast();
        }
        most = 0;
    }
}
