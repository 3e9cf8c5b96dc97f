package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.gemm.Gemm;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The packed layout of the weights of one direction: those of the inputs, those of the states for each gate, the bias
 * of the gates and the bias of the products of states.
 */
final class RecurrentWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final long ALIGNMENT = 64;

    private final Gemm gemm;
    private final RecurrentCell cell;
    private final int inputs;
    private final int hidden;
    private final long states;
    private final long bias;
    private final long stateBias;
    private final long bytes;

    RecurrentWeights(Gemm gemm, RecurrentCell cell, RecurrentSizes shape) {
        this.gemm = gemm;
        this.cell = cell;
        inputs = shape.inputs();
        hidden = shape.hidden();
        states = up(gemm.packedBytes(inputs, (long) cell.gates() * hidden));
        bias = states + cell.gates() * up(gateBytes());
        stateBias = bias + up(biasBytes());
        bytes = stateBias + up(biasBytes());
    }

    static long up(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    private long biasBytes() {
        return 4L * cell.gates() * hidden;
    }

    private long gateBytes() {
        return gemm.packedBytes(hidden, hidden);
    }

    long bytes() {
        return bytes;
    }

    MemorySegment ofInputs(MemorySegment packed) {
        return packed.asSlice(0, gemm.packedBytes(inputs, (long) cell.gates() * hidden));
    }

    MemorySegment ofStates(MemorySegment packed, int gate) {
        return packed.asSlice(states + gate * up(gateBytes()), gateBytes());
    }

    MemorySegment bias(MemorySegment packed) {
        return packed.asSlice(bias, biasBytes());
    }

    MemorySegment stateBias(MemorySegment packed, int gate) {
        return packed.asSlice(stateBias + 4L * gate * hidden, 4L * hidden);
    }

    /** Packs W, R and, if there is one, B of one direction. */
    void pack(MemorySegment w, MemorySegment r, @Nullable MemorySegment b, MemorySegment to) {
        long columns = (long) cell.gates() * hidden;
        gemm.packTransposed(w, inputs, inputs, columns, ofInputs(to));
        long square = 4L * hidden * hidden;
        for (int gate = 0; gate < cell.gates(); gate++) {
            gemm.packTransposed(r.asSlice(gate * square, square), hidden, hidden, hidden, ofStates(to, gate));
        }
        for (long i = 0; i < columns; i++) {
            float ofInputs = b == null ? 0 : b.getAtIndex(FLOAT, i);
            float ofStates = b == null ? 0 : b.getAtIndex(FLOAT, columns + i);
            to.set(FLOAT, bias + 4 * i, cell.apart() ? ofInputs : ofInputs + ofStates);
            to.set(FLOAT, stateBias + 4 * i, ofStates);
        }
    }
}
