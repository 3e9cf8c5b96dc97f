package dev.millrace.kernels.recurrent;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** One direction of a layer: the products of all inputs at once, then step by step. */
final class RecurrentPass {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final Epilogue BIAS = Epilogue.of(true, Activation.NONE);

    private final Memory memory;
    private final Gemm gemm;
    private final RecurrentCell cell;
    private final PackedWeights weights;
    private final RecurrentCall call;
    private final RecurrentShape shape;
    private final int direction;
    private final MemorySegment packed;
    private final RecurrentScratch layout;
    private final MemorySegment scratch;
    private final long scratchAt;
    private final long yAt;
    private final long columns;
    private final long stateBytes;

    RecurrentPass(
            Memory memory,
            Gemm gemm,
            RecurrentCell cell,
            PackedWeights weights,
            RecurrentCall call,
            int direction,
            float clip,
            MemorySegment packed,
            RecurrentScratch layout,
            MemorySegment scratch) {
        this.memory = memory;
        this.gemm = gemm;
        this.cell = cell;
        this.weights = weights;
        this.call = call;
        this.direction = direction;
        this.packed = packed;
        this.layout = layout;
        this.scratch = scratch;
        shape = call.shape();
        scratchAt = memory.pointer(scratch);
        yAt = memory.pointer(call.y());
        columns = (long) cell.gates() * shape.hidden();
        stateBytes = 4L * shape.batch() * shape.hidden();
        constants(clip);
    }

    private void put(int argument, long value) {
        scratch.set(LONG, argument, value);
    }

    private void constants(float clip) {
        put(GateArguments.GROUP, 4L * shape.hidden());
        put(GateArguments.GATE_STRIDE, 4 * columns);
        scratch.set(FLOAT, GateArguments.CLIP, clip);
        scratch.set(FLOAT, GateArguments.CLIP_BELOW, -clip);
        put(GateArguments.SECOND_STRIDE, cell.apart() ? 4 * columns : 0);
        MemorySegment peepholes = call.peepholes();
        put(
                GateArguments.SECOND,
                peepholes == null
                        ? scratchAt + layout.products()
                        : memory.pointer(peepholes) + 12L * direction * shape.hidden());
    }

    void run(Parallel parallel) {
        long rows = (long) shape.steps() * shape.batch();
        MemorySegment gates = scratch.asSlice(layout.gates());
        Matrix inputs = Matrix.rows(call.x(), shape.inputs());
        GemmProduct product = GemmProduct.builder(
                        rows, columns, shape.inputs(), inputs, Matrix.packed(weights.ofInputs(packed)))
                .then(BIAS, weights.bias(packed))
                .writing(Matrix.rows(gates, columns))
                .build();
        gemm.run(product, parallel);
        start(call.state(), layout.state());
        start(call.cell(), layout.other());
        for (int i = 0; i < shape.steps(); i++) {
            step(shape.isReverse(direction) ? shape.steps() - 1 - i : i, parallel);
        }
        end(layout.state(), call.lastState());
        end(layout.other(), call.lastCell());
    }

    private void start(@Nullable MemorySegment given, long at) {
        MemorySegment to = scratch.asSlice(at, stateBytes);
        if (given == null) {
            to.fill((byte) 0);
        } else {
            to.copyFrom(given.asSlice(direction * stateBytes, stateBytes));
        }
    }

    private void end(long at, @Nullable MemorySegment wanted) {
        if (wanted != null) {
            MemorySegment.copy(scratch, at, wanted, direction * stateBytes, stateBytes);
        }
    }

    private void step(int step, Parallel parallel) {
        long gates = layout.gates() + 4 * columns * shape.batch() * step;
        for (int i = 0; i < cell.parts().size(); i++) {
            product(i, gates, parallel);
            int entry = 0;
            while (entry < shape.batch()) {
                int end = entry + 1;
                boolean active = call.isActive(step, entry);
                while (end < shape.batch() && call.isActive(step, end) == active) {
                    end++;
                }
                rows(cell.parts().get(i), gates, step, entry, end - entry, active);
                entry = end;
            }
        }
    }

    private void product(int index, long gates, Parallel parallel) {
        RecurrentCell.Part part = cell.parts().get(index);
        long hidden = shape.hidden();
        long to = (cell.apart() ? layout.products() : gates) + 4 * part.first() * hidden;
        MemorySegment state = scratch.asSlice(part.ofOther() ? layout.other() : layout.state(), stateBytes);
        GemmProduct.Builder product = GemmProduct.builder(
                        shape.batch(),
                        part.count() * hidden,
                        hidden,
                        Matrix.rows(state, hidden),
                        Matrix.packed(weights.ofStates(packed, index)))
                .accumulating(!cell.apart())
                .writing(Matrix.rows(scratch.asSlice(to), columns));
        if (cell.apart()) {
            product.then(BIAS, weights.stateBias(packed));
        }
        gemm.run(product.build(), parallel);
    }

    /** Some entries of the batch in one step. */
    private void rows(RecurrentCell.Part part, long gates, int step, int entry, int count, boolean active) {
        long first = 4L * entry * shape.hidden();
        long out = ((long) step * shape.directions() + direction) * stateBytes + first;
        if (!active) {
            call.y().asSlice(out, 4L * count * shape.hidden()).fill((byte) 0);
            return;
        }
        put(GateArguments.GATES, scratchAt + gates + 4 * columns * entry);
        put(GateArguments.ROWS, count);
        put(GateArguments.STATE, scratchAt + layout.state() + first);
        put(GateArguments.OTHER, scratchAt + layout.other() + first);
        put(GateArguments.OUT, yAt + out);
        if (cell.apart()) {
            put(GateArguments.SECOND, scratchAt + layout.products() + 4 * columns * entry);
        }
        part.kernel().call(memory, scratchAt, 0, 0, 0, 0, 0);
    }
}
