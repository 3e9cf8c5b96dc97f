package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Gemm;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * A recurrent layer over whole sequences of fp32 numbers, by the definitions of ONNX. Weights are packed once. Memory
 * is native (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class Recurrent implements PacksWeights {
    private final KernelSet kernels;
    private final Gemm gemm;
    private final List<RecurrentCell> cells;
    private final float clip;

    private Recurrent(KernelSet kernels, Gemm gemm, List<RecurrentCell> cells, float clip) {
        if (cells.isEmpty() || cells.size() > 2) {
            throw new IllegalArgumentException(
                    "there are variants for " + cells.size() + " directions, not for 1 or 2");
        }
        if (!(clip >= 0)) {
            throw new IllegalArgumentException("what goes into activations is clipped at " + clip);
        }
        for (RecurrentCell cell : cells) {
            RecurrentCell first = cells.getFirst();
            if (!cell.kind().equals(first.kind()) || cell.peepholes() != first.peepholes()) {
                throw new IllegalArgumentException(
                        "the variants of both directions differ in more than activations, clipping and coupling");
            }
        }
        this.kernels = kernels;
        this.gemm = gemm;
        this.cells = cells;
        this.clip = clip;
    }

    /**
     * Creates an LSTM. Its gates are input, output, forget and cell.
     *
     * @param variants one for each direction
     * @param clip the bound of the inputs of activations, for variants that are clipped
     */
    public static Recurrent lstm(KernelSet kernels, Gemm gemm, List<LstmStep.Variant> variants, float clip) {
        return of(kernels, gemm, variants, RecurrentCell::lstm, clip);
    }

    /** Creates a GRU, with parameters like those of {@link #lstm}. Its gates are update, reset and hidden. */
    public static Recurrent gru(KernelSet kernels, Gemm gemm, List<GruVariant> variants, float clip) {
        return of(kernels, gemm, variants, RecurrentCell::gru, clip);
    }

    /**
     * Creates a simple RNN, with parameters like those of {@link #lstm}. Its only gate is the state before its
     * activation.
     */
    public static Recurrent rnn(KernelSet kernels, Gemm gemm, List<RnnStep.Variant> variants, float clip) {
        return of(kernels, gemm, variants, RecurrentCell::rnn, clip);
    }

    private static <V> Recurrent of(
            KernelSet kernels, Gemm gemm, List<V> variants, BiFunction<KernelSet, V, RecurrentCell> cell, float clip) {
        List<RecurrentCell> cells =
                variants.stream().map(variant -> cell.apply(kernels, variant)).toList();
        return new Recurrent(kernels, gemm, cells, clip);
    }

    @Override
    public String packedLayout() {
        return "recurrent " + cells.stream().map(RecurrentCell::layout).toList() + " of " + gemm.packedLayout();
    }

    /** The size of the packed weights of all directions in bytes. It does not depend on steps and batch. */
    public long packedBytes(RecurrentSizes shape) {
        long bytes = 0;
        for (int i = 0; i < shape.directions(); i++) {
            bytes += weights(shape, i).bytes();
        }
        return bytes;
    }

    private RecurrentWeights weights(RecurrentSizes shape, int direction) {
        if (cells.size() != shape.directions()) {
            throw new IllegalArgumentException(
                    "there are variants for " + cells.size() + " directions, not for " + shape.directions());
        }
        return new RecurrentWeights(gemm, cells.get(direction), shape);
    }

    /**
     * Packs weights.
     *
     * @param w [directions, gates hidden, inputs]
     * @param r [directions, gates hidden, hidden]
     * @param b [directions, 2 gates hidden], those of the inputs first; zeros if null
     */
    public void pack(
            RecurrentSizes shape, MemorySegment w, MemorySegment r, @Nullable MemorySegment b, MemorySegment packed) {
        CallChecks.bytes("the packed weights", packed, packedBytes(shape));
        CallChecks.writable("the packed weights", packed);
        long rows = (long) cells.getFirst().gates() * shape.hidden();
        long wElements = Math.multiplyExact(rows, shape.inputs());
        long rElements = Math.multiplyExact(rows, shape.hidden());
        CallChecks.vector("W", w, wElements * shape.directions());
        CallChecks.vector("R", r, rElements * shape.directions());
        if (b != null) {
            CallChecks.vector("B", b, 2 * rows * shape.directions());
        }
        long to = 0;
        for (int i = 0; i < shape.directions(); i++) {
            RecurrentWeights weights = weights(shape, i);
            MemorySegment ofDirection = b == null ? null : b.asSlice(8 * rows * i, 8 * rows);
            weights.pack(
                    w.asSlice(4 * wElements * i, 4 * wElements),
                    r.asSlice(4 * rElements * i, 4 * rElements),
                    ofDirection,
                    packed.asSlice(to, weights.bytes()));
            to += weights.bytes();
        }
    }

    /** The scratch memory of {@link #run} in bytes. */
    public long scratchBytes(RecurrentSizes shape) {
        return shape.directions()
                * RecurrentScratch.of(gemm, cells.getFirst(), shape).bytes();
    }

    /**
     * Computes the layer. No operand may be freed before it is done. Outputs overlap nothing else, except that a last
     * state or cell may be the same memory as the first one.
     *
     * @param scratch memory of this call alone; on the heap an array of bytes
     * @throws IllegalArgumentException if the shapes of the operands do not match
     * @throws IndexOutOfBoundsException if an operand is smaller than its shape
     */
    public void run(RecurrentCall call, MemorySegment scratch, Parallel parallel) {
        RecurrentSizes shape = call.shape();
        call.check();
        CallChecks.bytes("the packed weights", call.packed(), packedBytes(shape));
        CallChecks.bytes("the scratch", scratch, scratchBytes(shape));
        CallChecks.writable("the scratch", scratch);
        RecurrentCell cell = cells.getFirst();
        if (cell.peepholes() != (call.peepholes() != null)) {
            throw new IllegalArgumentException("peepholes are given if and only if the variants have them");
        }
        if (!cell.hasCells() && (call.cell() != null || call.lastCell() != null)) {
            throw new IllegalArgumentException("a layer of kind " + cell.kind() + " has no cells");
        }
        if (shape.batch() == 0) {
            return;
        }
        try {
            if (shape.directions() == 2 && parallel.width() > 1) {
                parallel.run(2, direction -> run(call, scratch, direction, parallel.alone()));
            } else {
                for (int direction = 0; direction < shape.directions(); direction++) {
                    run(call, scratch, direction, parallel);
                }
            }
        } finally {
            Reference.reachabilityFence(call);
            Reference.reachabilityFence(scratch);
        }
    }

    private void run(RecurrentCall call, MemorySegment scratch, int index, Parallel parallel) {
        RecurrentSizes shape = call.shape();
        RecurrentCell cell = cells.get(index);
        RecurrentWeights weights = weights(shape, index);
        RecurrentScratch layout = RecurrentScratch.of(gemm, cell, shape);
        // // Both directions have weights and scratch of the same size.
        MemorySegment packed = call.packed().asSlice(index * weights.bytes(), weights.bytes());
        MemorySegment own = scratch.asSlice(index * layout.bytes(), layout.bytes());
        var direction = new RecurrentDirection(cell, call, index, clip, weights, packed, layout, own);
        new RecurrentPass(kernels.newMemory(), gemm, direction, parallel.width()).run(parallel);
    }
}
