package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.BroadcastExpression;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/** The fusion of elementwise operators with each other, and with the products and convolutions that they follow. */
final class Fusion {
    /** The most values of one expression; longer ones run out of registers. */
    private static final int MOST_MEMBERS = 24;

    private final PartitionCompiler lowering;

    Fusion(PartitionCompiler lowering) {
        this.lowering = lowering;
    }

    /** Defers a value, and computes operands of it that would make the expression too large. */
    void defer(ValueState cell, DeferredElementwise pending) {
        cell.pending = pending;
        bounded(cell, pending, Region::atMost);
    }

    /** Returns the region of a value. While its expression is too large, the operand with the largest region is computed. */
    private Region bounded(ValueState cell, DeferredElementwise pending, Function<ValueState, Region> regions) {
        Region region = regions.apply(cell);
        while (isTooLarge(region)) {
            ValueState largest = null;
            int size = 0;
            for (ValueState operand : pending.operands()) {
                if (operand.isInMemory()) {
                    continue;
                }
                int inputs = 1 + regions.apply(operand).inputs().size();
                if (inputs > size) {
                    largest = operand;
                    size = inputs;
                }
            }
            if (largest == null) {
                return region;
            }
            materialise(largest);
            region = regions.apply(cell);
        }
        return region;
    }

    private static boolean isTooLarge(Region region) {
        int operands = region.inputs().size() + (region.root() == null ? 0 : 1);
        return operands > Expr.MAX_INPUTS || region.size() > MOST_MEMBERS || !ExprText.isShort(region.expression());
    }

    void materialise(ValueState cell) {
        if (cell.pending == null) {
            throw new IllegalStateException("'" + cell.name() + "' was never computed");
        }
        if (cell.pending instanceof FusionRoot root) {
            if (!root.emit(cell, null, List.of())) {
                throw new IllegalStateException("'" + cell.name() + "' cannot be computed");
            }
        } else if (cell.pending instanceof DeferredElementwise pending && !behindAnchor(cell)) {
            Region region = Region.of(cell, false);
            // without what others read too, a region may have more inputs than the largest one that is possible
            boolean fits = region.inputs().size() <= Expr.MAX_INPUTS;
            elementwise(cell, fits ? region : bounded(cell, pending, value -> Region.of(value, false)));
        }
        cell.pending = null;
    }

    private boolean behindAnchor(ValueState cell) {
        Region region = Region.of(cell, true);
        ValueState before = region.root();
        if (before == null || !(before.pending instanceof FusionRoot root)) {
            return false;
        }
        List<ValueState> inputs = region.inputs();
        if (inputs.size() > root.mostOperands()) {
            return false;
        }
        for (ValueState input : inputs) {
            if (!root.takes(input, cell)) {
                return false;
            }
        }
        for (ValueState input : inputs) {
            if (!root.takesFactorsOf(input)) {
                lowering.materialise(input);
            }
        }
        return root.emit(cell, region.expression(), inputs);
    }

    private void elementwise(ValueState cell, Region region) {
        List<ValueState> inputs = region.inputs();
        Expr expression = region.expression();
        if (isWidenedConstant(cell, inputs, expression)) {
            Tensor halves = Objects.requireNonNull(inputs.getFirst().known());
            lowering.provide(cell, new StoredFloats(lowering.environment(), halves).kept());
            return;
        }
        inputs.forEach(lowering::materialise);
        var blocked = new BlockedOperands(lowering, cell);
        if (blocked.suit(inputs, expression)) {
            View to = lowering.allocateBlocked(cell);
            List<View> views = blocked.views(inputs);
            add(cell, expression, blocked.extents(), views, blocked.strides(inputs), to);
        } else if (!inOwnOrder(cell, expression, inputs)) {
            var views = new ArrayList<View>();
            var strides = new ArrayList<List<Long>>();
            for (ValueState input : inputs) {
                View view = rows(input);
                views.add(view);
                strides.add(list(view.broadcast(cell.shape()).strides()));
            }
            add(cell, expression, list(cell.shape().toArray()), views, strides, lowering.allocate(cell));
        }
    }

    /** Whether a value is a 16-bit constant cast to 32 bits: it is converted once, not in each run. */
    private static boolean isWidenedConstant(ValueState cell, List<ValueState> inputs, Expr expression) {
        if (!cell.isFloat() || inputs.size() != 1) {
            return false;
        }
        ValueState source = inputs.getFirst();
        return source.isKnown()
                && DataTypes.isHalf(source.type())
                && expression.equals(Expr.input(0, DataTypes.of(source.type())))
                && source.shape().equals(cell.shape());
    }

    /**
     * Computes in the order of axes that all operands share, apart from broadcast ones. Returns false where they share
     * none.
     */
    private boolean inOwnOrder(ValueState cell, Expr expression, List<ValueState> inputs) {
        for (ValueState input : inputs) {
            if (input.isBlockedOnly()) {
                return false;
            }
        }
        List<View> views = inputs.stream().map(lowering::view).toList();
        AxisOrder order = AxisOrder.common(cell.shape(), views);
        if (order == null) {
            return false;
        }
        var strides = new ArrayList<List<Long>>();
        int last = cell.shape().rank() - 1;
        for (View view : views) {
            View ordered = view.broadcast(cell.shape()).transposed(order.axes());
            if (ordered.strides()[last] > 1) {
                return false;
            }
            strides.add(list(ordered.strides()));
        }
        View to = lowering.allocate(cell.type(), order.of(cell.shape()));
        add(cell, expression, list(to.shape().toArray()), views, strides, to);
        lowering.provide(cell, order.restored(to));
        return true;
    }

    /** A view whose rows are contiguous, of a copy where necessary. */
    private View rows(ValueState cell) {
        View view = lowering.view(cell);
        int last = view.shape().rank() - 1;
        boolean together = last < 0 || view.shape().dim(last) == 1 || view.strides()[last] <= 1;
        return together ? view : lowering.dense(cell);
    }

    private void add(
            ValueState cell, Expr expression, List<Long> extents, List<View> views, List<List<Long>> strides, View to) {
        var broadcast = new BroadcastExpression(
                lowering.environment().kernels(), expression, DataTypes.of(cell.type()), extents, strides);
        lowering.add(ProgramStep.of(() -> broadcast.key().toString(), cell.name())
                .reading(views)
                .writing(to)
                .repeating()
                .calling(memory -> {
                    List<MemorySegment> in = views.stream().map(memory::segment).toList();
                    MemorySegment out = memory.segment(to);
                    return crew -> broadcast.run(in, out, crew);
                }));
    }

    static List<Long> list(long[] numbers) {
        var list = new ArrayList<Long>();
        for (long number : numbers) {
            list.add(number);
        }
        return list;
    }
}
