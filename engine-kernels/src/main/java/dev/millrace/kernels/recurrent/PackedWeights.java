package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.gemm.Gemm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * Where the packed weights of one direction are: those of the inputs, those of the states for each part, the bias of
 * the gates and the bias of the products of states.
 */
final class PackedWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final long ALIGNMENT = 64;

    private final Gemm gemm;
    private final RecurrentCell cell;
    private final int inputs;
    private final int hidden;
    private final long[] parts;
    private final long bias;
    private final long stateBias;
    private final long bytes;

    PackedWeights(Gemm gemm, RecurrentCell cell, RecurrentShape shape) {
        this.gemm = gemm;
        this.cell = cell;
        inputs = shape.inputs();
        hidden = shape.hidden();
        long at = up(gemm.packedBytes(inputs, (long) cell.gates() * hidden));
        parts = new long[cell.parts().size()];
        for (int i = 0; i < parts.length; i++) {
            parts[i] = at;
            at += up(gemm.packedBytes(hidden, (long) cell.parts().get(i).count() * hidden));
        }
        bias = at;
        stateBias = bias + up(biasBytes());
        bytes = stateBias + up(biasBytes());
    }

    static long up(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private long biasBytes() {
        return 4L * cell.gates() * hidden;
    }

    long bytes() {
        return bytes;
    }

    MemorySegment ofInputs(MemorySegment packed) {
        return packed.asSlice(0, gemm.packedBytes(inputs, (long) cell.gates() * hidden));
    }

    MemorySegment ofStates(MemorySegment packed, int part) {
        return packed.asSlice(
                parts[part],
                gemm.packedBytes(hidden, (long) cell.parts().get(part).count() * hidden));
    }

    MemorySegment bias(MemorySegment packed) {
        return packed.asSlice(bias, biasBytes());
    }

    MemorySegment stateBias(MemorySegment packed) {
        return packed.asSlice(stateBias, biasBytes());
    }

    /** Packs W, R and, if there is one, B of one direction. */
    void pack(MemorySegment w, MemorySegment r, @Nullable MemorySegment b, MemorySegment to) {
        long columns = (long) cell.gates() * hidden;
        gemm.packTransposed(w, inputs, inputs, columns, ofInputs(to));
        for (int i = 0; i < parts.length; i++) {
            RecurrentCell.Part part = cell.parts().get(i);
            MemorySegment rows = r.asSlice(4L * part.first() * hidden * hidden, 4L * part.count() * hidden * hidden);
            gemm.packTransposed(rows, hidden, hidden, (long) part.count() * hidden, ofStates(to, i));
        }
        for (long i = 0; i < columns; i++) {
            float ofInputs = b == null ? 0 : b.getAtIndex(FLOAT, i);
            float ofStates = b == null ? 0 : b.getAtIndex(FLOAT, columns + i);
            bias(to).setAtIndex(FLOAT, i, cell.apart() ? ofInputs : ofInputs + ofStates);
            stateBias(to).setAtIndex(FLOAT, i, ofStates);
        }
    }
}
