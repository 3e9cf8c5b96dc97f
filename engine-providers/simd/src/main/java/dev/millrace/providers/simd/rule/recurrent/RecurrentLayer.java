package dev.millrace.providers.simd.rule.recurrent;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.recurrent.Recurrent;
import dev.millrace.kernels.recurrent.RecurrentCall;
import dev.millrace.kernels.recurrent.RecurrentSizes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.Call;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One recurrent layer on its way to a step. Kernels want steps outermost; a layout with the batch first is a view. */
final class RecurrentLayer {
    static final int LENGTHS = 4;
    static final int PEEPHOLES = 7;
    private static final int STATE = 5;
    private static final int CELL = 6;
    private static final int[] SWAPPED = {1, 0, 2};
    private static final int[] BATCH_FIRST = {2, 0, 1, 3};

    private final LoweringContext op;
    private final PartitionCompiler lowering;
    private final Recurrent driver;
    private final RecurrentSizes shape;
    private final boolean batchFirst;
    private final List<View> reads = new ArrayList<>();
    private final List<View> writes = new ArrayList<>();

    RecurrentLayer(LoweringContext op, Recurrent driver, RecurrentSizes shape, boolean batchFirst) {
        this.op = op;
        this.driver = driver;
        this.shape = shape;
        this.batchFirst = batchFirst;
        lowering = op.lowering();
    }

    void lower() {
        boolean isLstm = op.name().equals(OpName.LSTM);
        View packed = packed();
        View x = steps(op.in(0));
        View state = input(STATE);
        View cell = isLstm ? input(CELL) : null;
        View peepholes = isLstm && op.has(PEEPHOLES) ? reading(lowering.dense(op.in(PEEPHOLES))) : null;
        View lengths = op.has(LENGTHS) ? reading(lowering.dense(op.in(LENGTHS))) : null;
        View y = states();
        View lastState = last(1);
        View lastCell = isLstm ? last(2) : null;
        lowering.add(ProgramStep.of(
                        () -> "recurrent " + op.name() + " " + shape, op.node().name())
                .reading(reads)
                .writing(writes)
                .work(work())
                .scratch(driver.scratchBytes(shape))
                .repeating(lengths == null)
                .calling(memory -> {
                    MemorySegment segmentOfLengths = find(memory, lengths);
                    var call = new RecurrentCall(
                            shape,
                            memory.segment(x),
                            memory.segment(packed),
                            find(memory, peepholes),
                            find(memory, state),
                            find(memory, cell),
                            null,
                            memory.segment(y),
                            find(memory, lastState),
                            find(memory, lastCell));
                    return prepared(call, segmentOfLengths, memory.scratch());
                }));
    }

    private Call prepared(RecurrentCall call, @Nullable MemorySegment lengths, MemorySegment scratch) {
        if (lengths == null) {
            return crew -> driver.run(call, scratch, crew);
        }
        return crew -> driver.run(with(call, lengths(lengths)), scratch, crew);
    }

    private int[] lengths(MemorySegment memory) {
        int[] lengths = memory.toArray(ValueLayout.JAVA_INT_UNALIGNED);
        for (int i = 0; i < lengths.length; i++) {
            if (lengths[i] < 0 || lengths[i] > shape.steps()) {
                throw EngineException.invalidArgument(op.node().describe() + ": sequence " + i + " has the length "
                        + lengths[i] + " where 0 to " + shape.steps() + " is expected");
            }
        }
        return lengths;
    }

    private static RecurrentCall with(RecurrentCall call, int[] lengths) {
        return new RecurrentCall(
                call.shape(),
                call.x(),
                call.packed(),
                call.peepholes(),
                call.state(),
                call.cell(),
                lengths,
                call.y(),
                call.lastState(),
                call.lastCell());
    }

    private static @Nullable MemorySegment find(RunMemory memory, @Nullable View view) {
        return view == null ? null : memory.segment(view);
    }

    private View reading(View view) {
        reads.add(view);
        return view;
    }

    private long work() {
        return (op.in(1).elements() + op.in(2).elements()) * shape.steps() * shape.batch();
    }

    /** Operands of three axes, steps or directions first. */
    private View steps(ValueState value) {
        if (!batchFirst) {
            return reading(lowering.dense(value));
        }
        View view = lowering.view(value).transposed(SWAPPED);
        if (!view.isDense()) {
            View copy = lowering.allocate(view.type(), view.shape());
            lowering.copy(view, copy, value.name());
            view = copy;
        }
        return reading(view);
    }

    private @Nullable View input(int index) {
        return op.has(index) ? steps(op.in(index)) : null;
    }

    private View states() {
        Shape all = Shape.of(shape.steps(), shape.directions(), shape.batch(), shape.hidden());
        View view = lowering.allocate(ElementType.FLOAT, all);
        if (op.wants(0)) {
            lowering.provide(op.out(0), batchFirst ? view.transposed(BATCH_FIRST) : view);
        }
        writes.add(view);
        return view;
    }

    private @Nullable View last(int output) {
        if (!op.wants(output)) {
            return null;
        }
        View view = lowering.allocate(ElementType.FLOAT, Shape.of(shape.directions(), shape.batch(), shape.hidden()));
        lowering.provide(op.out(output), batchFirst ? view.transposed(SWAPPED) : view);
        writes.add(view);
        return view;
    }

    /** The weights of all directions with their biases, packed beforehand where they are known. */
    private View packed() {
        boolean known = op.in(1).known() != null
                && op.in(2).known() != null
                && (!op.has(3) || op.in(3).known() != null);
        return known ? packedBefore() : packedInRun();
    }

    private View packedBefore() {
        Weights store = op.environment().weights();
        Tensor w = Objects.requireNonNull(op.in(1).known());
        Tensor r = Objects.requireNonNull(op.in(2).known());
        Tensor b = op.has(3) ? op.in(3).known() : null;
        Layout layout = Layout.forAllShapes(driver.packedLayout(), driver.packedBytes(shape));
        MemorySegment memory = store.packed(b == null ? List.of(w, r) : List.of(w, r, b), layout, target -> {
            MemorySegment biases = b == null ? null : store.plain(b);
            driver.pack(shape, store.plain(w), store.plain(r), biases, target);
        });
        View view = View.dense(Storage.constant(memory), ElementType.FLOAT, Shape.of(memory.byteSize() / Float.BYTES));
        return reading(view);
    }

    private View packedInRun() {
        View w = lowering.dense(op.in(1));
        View r = lowering.dense(op.in(2));
        View b = op.has(3) ? lowering.dense(op.in(3)) : null;
        View packed = lowering.allocate(ElementType.FLOAT, Shape.of(driver.packedBytes(shape) / Float.BYTES));
        lowering.add(ProgramStep.of("pack " + op.name() + " weights", op.node().name())
                .reading(b == null ? List.of(w, r) : List.of(w, r, b))
                .writing(packed)
                .calling(memory -> {
                    MemorySegment ofInputs = memory.segment(w);
                    MemorySegment ofStates = memory.segment(r);
                    MemorySegment biases = find(memory, b);
                    MemorySegment target = memory.segment(packed);
                    return crew -> driver.pack(shape, ofInputs, ofStates, biases, target);
                }));
        return reading(packed);
    }
}
