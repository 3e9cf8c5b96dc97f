package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Batch;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.GemmSequence;
import dev.millrace.kernels.gemm.Matrix;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a layer: the products of all inputs at once, then step by step. In a step the units are shared by
 * tasks, each of which does everything that there is to do for its own.
 */
final class RecurrentPass {
    private static final Epilogue BIAS = Epilogue.of(true, Activation.NONE);

    private final Gemm gemm;
    private final RecurrentDirection direction;
    private final RecurrentCell cell;
    private final RecurrentSizes shape;
    private final RecurrentScratch layout;
    private final MemorySegment scratch;
    private final RecurrentTask[] tasks;
    private int step;
    private int part;

    /** @param width how many threads there are */
    RecurrentPass(Memory memory, Gemm gemm, RecurrentDirection direction, int width) {
        this.gemm = gemm;
        this.direction = direction;
        cell = direction.cell();
        shape = direction.call().shape();
        layout = direction.layout();
        scratch = direction.scratch();
        GemmProduct[] products = products();
        tasks = new RecurrentTask[Math.min(layout.tasks(), width)];
        for (int i = 0; i < tasks.length; i++) {
            tasks[i] = task(memory, products, i);
        }
    }

    /** Products of states, one for each gate, for all steps. */
    private GemmProduct[] products() {
        GemmProduct[] products = new GemmProduct[cell.gates()];
        for (RecurrentCell.Part each : cell.parts()) {
            for (int gate = each.first(); gate < each.first() + each.count(); gate++) {
                products[gate] = product(gate, each.ofOther());
            }
        }
        return products;
    }

    private GemmProduct product(int gate, boolean ofOther) {
        long hidden = shape.hidden();
        long columns = direction.columns();
        long from = ofOther ? layout.other() : layout.state();
        long to = (cell.apart() ? layout.products() : layout.gates()) + 4 * gate * hidden;
        long distanceOfA = ofOther ? 0 : layout.stateDistance() / 4;
        long distanceOfC = cell.apart() ? 0 : columns * shape.batch();
        Matrix weights = Matrix.packed(direction.weights().ofStates(direction.packed(), gate));
        GemmProduct.Builder product = GemmProduct.builder(
                        shape.batch(), hidden, hidden, Matrix.rows(scratch.asSlice(from), hidden), weights)
                .batch(Batch.of(2, distanceOfA, 0, distanceOfC)
                        .times(RecurrentScratch.pairsOfSteps(shape), 0, 0, 2 * distanceOfC))
                .accumulating(!cell.apart())
                .writing(Matrix.rows(scratch.asSlice(to), columns));
        if (cell.apart()) {
            product.then(BIAS, direction.weights().stateBias(direction.packed(), gate));
        }
        return product.build();
    }

    private RecurrentTask task(Memory memory, GemmProduct[] products, int number) {
        long at = number * RecurrentScratch.TASK_BYTES;
        MemorySegment own = scratch.asSlice(at + RecurrentWeights.up(GateArguments.BYTES), GemmSequence.SCRATCH_BYTES);
        GemmSequence[] sequences = new GemmSequence[products.length];
        for (int gate = 0; gate < sequences.length; gate++) {
            sequences[gate] = gemm.sequence(products[gate], own);
        }
        return new RecurrentTask(memory, direction, at, firstUnit(number), firstUnit(number + 1), sequences);
    }

    private long firstUnit(int task) {
        long panels = Math.ceilDiv(shape.hidden(), gemm.panelColumns());
        return Math.min(shape.hidden(), panels * task / tasks.length * gemm.panelColumns());
    }

    void run(Parallel parallel) {
        inputs(parallel);
        RecurrentCall call = direction.call();
        boolean reverse = direction.isReverse();
        int steps = shape.steps();
        start(call.state(), direction.stateBefore(reverse ? steps - 1 : 0));
        start(call.cell(), layout.other());
        IntConsumer work = task -> tasks[task].run(part, step);
        for (int i = 0; i < steps; i++) {
            parallel.checkCancelled();
            step = reverse ? steps - 1 - i : i;
            for (part = 0; part < cell.parts().size(); part++) {
                if (tasks.length == 1) {
                    work.accept(0);
                } else {
                    parallel.run(tasks.length, work);
                }
            }
        }
        end(direction.stateAfter(reverse ? 0 : steps - 1), call.lastState());
        end(layout.other(), call.lastCell());
    }

    private void inputs(Parallel parallel) {
        long rows = (long) shape.steps() * shape.batch();
        long columns = direction.columns();
        Matrix inputs = Matrix.rows(direction.call().x(), shape.inputs());
        Matrix weights = Matrix.packed(direction.weights().ofInputs(direction.packed()));
        GemmProduct product = GemmProduct.builder(rows, columns, shape.inputs(), inputs, weights)
                .then(BIAS, direction.weights().bias(direction.packed()))
                .writing(Matrix.rows(scratch.asSlice(layout.gates()), columns))
                .build();
        gemm.run(product, parallel);
    }

    private void start(@Nullable MemorySegment segment, long at) {
        long bytes = direction.stateBytes();
        MemorySegment to = scratch.asSlice(at, bytes);
        if (segment == null) {
            Recording.clear(to);
        } else {
            Recording.copy(segment.asSlice(direction.index() * bytes, bytes), to);
        }
    }

    private void end(long at, @Nullable MemorySegment wanted) {
        if (wanted != null) {
            long bytes = direction.stateBytes();
            Recording.copy(scratch.asSlice(at, bytes), wanted.asSlice(direction.index() * bytes, bytes));
        }
    }
}
