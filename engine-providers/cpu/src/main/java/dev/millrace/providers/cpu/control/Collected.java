package dev.millrace.providers.cpu.control;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.Cells;
import dev.millrace.providers.cpu.move.Pieces;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The collector of one output of a loop body. It takes the output step by step, and stacks the steps along a new axis
 * in the end.
 */
final class Collected {
    /** The most bytes for which the memory of all steps is allocated at once. */
    private static final long MOST_AT_ONCE = 1 << 24;

    private static final long FIRST_BYTES = 1 << 16;

    private final DynamicContext context;
    private final Node node;
    private final Value bodyOutput;
    private final long most;
    /** The steps as tensors, where their elements are not whole bytes. */
    private final List<Tensor> steps = new ArrayList<>();

    private long count;
    private @Nullable Tensor first;
    private @Nullable MemorySegment memory;

    /** @param most the largest number of steps */
    Collected(DynamicContext context, Value bodyOutput, long most) {
        this.context = context;
        this.node = context.node();
        this.bodyOutput = bodyOutput;
        this.most = most;
    }

    /** Adds a copy of a step. */
    void add(Tensor step) {
        Tensor before = first == null ? step : first;
        if (step.type() != before.type() || !step.shape().equals(before.shape())) {
            throw EngineException.invalidArgument("cannot put " + step + " beside " + before);
        }
        first = before;
        if (Cells.areConverted(step.type())) {
            steps.add(Tensor.copyOf(step));
        } else {
            copy(step);
        }
        count++;
    }

    private void copy(Tensor step) {
        long bytes = step.type().bytes(step.elements());
        MemorySegment target = memory;
        if (target == null || target.byteSize() < (count + 1) * bytes) {
            target = larger(step.type(), step.elements());
            if (memory != null) {
                MemorySegment.copy(memory, 0, target, 0, count * bytes);
            }
            memory = target;
        }
        Tensor held = step.retain();
        MemorySegment.copy(held.segment(), 0, target, count * bytes, bytes);
        step.release();
    }

    private MemorySegment larger(ElementType type, long elements) {
        long bytes = Math.max(1, type.bytes(elements));
        long room = Math.min(most, Math.max(2 * count, Math.ceilDiv(FIRST_BYTES, bytes)));
        return memory(type, most <= MOST_AT_ONCE / bytes ? most : room, elements);
    }

    private MemorySegment memory(ElementType type, long stepsInIt, long elements) {
        return context.allocate(type, Shape.of(stepsInIt, elements)).segment();
    }

    Tensor stacked(long axisAttribute, boolean reversed) {
        Tensor sample = first;
        if (sample == null) {
            return empty(axisAttribute);
        }
        int axis = Shape.axis(axisAttribute, sample.shape().rank() + 1);
        MemorySegment all = memory;
        if (all != null && axis == 0 && !reversed) {
            return inOrder(all, sample);
        }
        List<Tensor> each = all == null ? steps : views(all, sample);
        return Pieces.stack(reversed ? each.reversed() : each, axis);
    }

    private Tensor inOrder(MemorySegment all, Tensor sample) {
        Shape shape = Pieces.withAxis(sample, 0).shape().with(0, count);
        long bytes = sample.type().bytes(shape.elements());
        MemorySegment fitting = all;
        if (all.byteSize() / 4 > bytes) {
            fitting = memory(sample.type(), count, sample.elements());
            MemorySegment.copy(all, 0, fitting, 0, bytes);
        }
        return Tensor.wrap(sample.type(), shape, fitting);
    }

    private List<Tensor> views(MemorySegment all, Tensor sample) {
        long bytes = sample.type().bytes(sample.elements());
        var views = new ArrayList<Tensor>();
        for (long i = 0; i < count; i++) {
            views.add(Tensor.wrap(sample.type(), sample.shape(), all.asSlice(i * bytes, bytes)));
        }
        return views;
    }

    /**
     * Returns an empty result where no step was run: it has the type that the body declares, and open extents are zero.
     */
    private Tensor empty(long axisAttribute) {
        ValueType described = bodyOutput.described();
        ElementType type = described instanceof ValueType.TensorType tensor ? tensor.element() : null;
        SymbolicShape shape = described instanceof ValueType.TensorType tensor ? tensor.shape() : null;
        if (type == null) {
            throw EngineException.invalidGraph(
                    node.describe() + ": no step was run and the type of '" + bodyOutput.name() + "' is not declared");
        }
        List<Long> dims = new ArrayList<>();
        if (shape != null) {
            for (Dim dim : shape.dims()) {
                dims.add(Math.max(0, dim.extentOrMinusOne()));
            }
        }
        dims.add(Shape.axis(axisAttribute, dims.size() + 1), 0L);
        return Tensor.allocate(type, Shape.of(dims));
    }
}
