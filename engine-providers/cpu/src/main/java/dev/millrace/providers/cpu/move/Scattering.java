package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.LongBinaryOperator;

/** Operators that write updates into a copy of the data at places given by indices, one after the other. */
final class Scattering {
    private Scattering() {}

    /** What a run of updates does to the cells that it meets. */
    @FunctionalInterface
    private interface Store {
        void put(MemorySegment updates, long first, MemorySegment target, long at, long count);
    }

    private static Store store(Node node, BindContext context) {
        ElementType type = Cells.computedAs(context.outputType(0));
        int size = Cells.size(type);
        String reduction = node.attributes().text("reduction", "none");
        if (reduction.equals("none")) {
            return (updates, first, target, at, count) -> CellLoops.copy(size, updates, first, target, at, count);
        }
        if (type == ElementType.STRING || type.kind() == ElementType.Kind.COMPLEX) {
            throw EngineException.invalidGraph(node.describe() + ": reduction '" + reduction + "' of " + type);
        }
        return type.isFloating() ? ofReals(node, reduction, type) : ofIntegers(node, reduction, type);
    }

    private static Store ofReals(Node node, String reduction, ElementType type) {
        DoubleBinaryOperator reduce = switch (reduction) {
            case "add" -> Double::sum;
            case "mul" -> (a, b) -> a * b;
            case "min" -> Math::min;
            case "max" -> Math::max;
            default -> throw unknown(node, reduction);
        };
        return (updates, first, target, at, count) -> {
            for (long i = 0; i < count; i++) {
                double old = Elements.getDouble(type, target, at + i);
                double update = Elements.getDouble(type, updates, first + i);
                Elements.setDouble(type, target, at + i, reduce.applyAsDouble(old, update));
            }
        };
    }

    private static Store ofIntegers(Node node, String reduction, ElementType type) {
        boolean wideUnsigned = type == ElementType.UINT64;
        LongBinaryOperator reduce = switch (reduction) {
            case "add" -> Long::sum;
            case "mul" -> (a, b) -> a * b;
            case "min" -> wideUnsigned ? (a, b) -> Long.compareUnsigned(a, b) <= 0 ? a : b : Math::min;
            case "max" -> wideUnsigned ? (a, b) -> Long.compareUnsigned(a, b) >= 0 ? a : b : Math::max;
            default -> throw unknown(node, reduction);
        };
        return (updates, first, target, at, count) -> {
            for (long i = 0; i < count; i++) {
                long old = Elements.getLong(type, target, at + i);
                long update = Elements.getLong(type, updates, first + i);
                Elements.setLong(type, target, at + i, reduce.applyAsLong(old, update));
            }
        };
    }

    private static EngineException unknown(Node node, String reduction) {
        return EngineException.invalidGraph(
                node.describe() + ": reduction '" + reduction + "'; known are none, add, mul, min, max");
    }

    /** Copies the data where the output is not written over it. */
    private static void copyData(LaunchContext run) {
        MemorySegment data = run.input(0);
        MemorySegment target = run.output(0);
        if (data.address() != target.address()) {
            target.copyFrom(data);
        }
    }

    /** Scatter and ScatterElements. */
    static CellKernel elements(Node node) {
        long axisGiven = node.attributes().integer("axis", 0);
        return context -> {
            if (!context.inputShape(1).equals(context.inputShape(2))) {
                throw EngineException.invalidArgument(node.describe() + ": indices of shape " + context.inputShape(1)
                        + " and updates of shape " + context.inputShape(2) + " differ");
            }
            Store store = store(node, context);
            var places = new Gathering.ElementPlaces(context, context.inputShape(0), 1, axisGiven);
            context.mayReuse(0, 0);
            return run -> {
                copyData(run);
                int length = places.rowLength();
                long[] offsets = run.scratch().longs(0, length);
                for (long row = 0; row < places.rows(); row++) {
                    run.checkCancelled(row);
                    places.row(run.input(1), row, offsets);
                    for (int i = 0; i < length; i++) {
                        store.put(run.input(2), row * length + i, run.output(0), offsets[i], 1);
                    }
                }
            };
        };
    }

    static CellKernel tuples(Node node) {
        return context -> {
            Store store = store(node, context);
            var places = new Gathering.TuplePlaces(context, context.inputShape(0), 1, 0);
            long cells = places.sliceCells();
            if (context.inputShape(2).elements() != places.count() * cells) {
                throw EngineException.invalidArgument(node.describe() + ": updates of shape " + context.inputShape(2)
                        + " do not fill " + places.count() + " slices of " + cells + " elements");
            }
            context.mayReuse(0, 0);
            return run -> {
                copyData(run);
                for (long tuple = 0; tuple < places.count(); tuple++) {
                    run.checkCancelled(tuple);
                    store.put(run.input(2), tuple * cells, run.output(0), places.at(run.input(1), tuple), cells);
                }
            };
        };
    }

    /** Writes an update at a position of its own for each batch: how key-value caches grow. */
    static CellKernel tensor(Node node) {
        long axisGiven = node.attributes().integer("axis", -2);
        boolean circular = node.attributes().text("mode", "linear").equals("circular");
        return context -> {
            Shape data = context.inputShape(0);
            Shape update = context.inputShape(1);
            int axis = Shape.axis(axisGiven, data.rank());
            if (axis == 0) {
                throw EngineException.invalidGraph(
                        node.describe() + ": axis 0 is the batch and cannot be written along");
            }
            long batches = data.dim(0);
            long groups = data.elements(1, axis);
            long extent = data.dim(axis);
            long length = update.dim(axis);
            long inner = data.elements(axis + 1, data.rank());
            int size = Cells.size(context.outputType(0));
            ElementType indexType = context.hasInput(2) ? context.inputType(2) : ElementType.INT64;
            boolean indexed = context.hasInput(2);
            context.mayReuse(0, 0);
            return run -> {
                copyData(run);
                for (long batch = 0; batch < batches; batch++) {
                    long start = indexed ? Elements.getLong(indexType, run.input(2), batch) : 0;
                    if (start < 0 || (!circular && start + length > extent)) {
                        throw Params.outside(node, start + length, extent);
                    }
                    for (long group = batch * groups; group < (batch + 1) * groups; group++) {
                        run.checkCancelled(group);
                        for (long i = 0; i < length; i++) {
                            long row = circular ? (start + i) % extent : start + i;
                            CellLoops.copy(
                                    size,
                                    run.input(1),
                                    (group * length + i) * inner,
                                    run.output(0),
                                    (group * extent + row) * inner,
                                    inner);
                        }
                    }
                }
            };
        };
    }
}
