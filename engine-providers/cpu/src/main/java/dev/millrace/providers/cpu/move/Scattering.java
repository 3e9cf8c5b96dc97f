package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;

/** Operators that write updates into a copy of the data at positions given by indices, one after the other. */
final class Scattering {
    /** The bytes that are copied between two checks for cancellation. */
    private static final long COPIED_AT_ONCE = 1 << 23;
    /** The number of tuples whose offsets are computed before their slices are written. */
    private static final int TUPLES = 1024;

    private Scattering() {}

    /** A way to combine updates with the cells that they are written to. */
    private interface Store {
        /** Writes a run of updates. */
        void put(MemorySegment updates, long first, MemorySegment target, long at, long count);

        /** Writes each update at a place of its own. */
        default void putEach(MemorySegment updates, long first, MemorySegment target, long[] places, int count) {
            for (int i = 0; i < count; i++) {
                put(updates, first + i, target, places[i], 1);
            }
        }
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
        Combine combine = switch (reduction) {
            case "add" -> Combine.ADD;
            case "mul" -> Combine.MUL;
            case "min" -> Combine.MIN;
            case "max" -> Combine.MAX;
            default -> throw unknown(node, reduction);
        };
        if (type == ElementType.FLOAT) {
            return new Floats(combine);
        }
        return type.isFloating() ? ofReals(combine, type) : ofIntegers(combine, type);
    }

    private enum Combine {
        ADD,
        MUL,
        MIN,
        MAX;

        float of(float a, float b) {
            return switch (this) {
                case ADD -> a + b;
                case MUL -> a * b;
                case MIN -> areNumbers(a, b) ? ofRank(Math.min(rank(a), rank(b))) : Float.NaN;
                case MAX -> areNumbers(a, b) ? ofRank(Math.max(rank(a), rank(b))) : Float.NaN;
            };
        }

        private static boolean areNumbers(float a, float b) {
            return !Float.isNaN(a) && !Float.isNaN(b);
        }

        /** Returns an integer of the same order, since single integers are compared faster. */
        private static int rank(float number) {
            int bits = Float.floatToRawIntBits(number);
            return bits ^ bits >> 31 >>> 1;
        }

        private static float ofRank(int rank) {
            return Float.intBitsToFloat(rank ^ rank >> 31 >>> 1);
        }

        double of(double a, double b) {
            return switch (this) {
                case ADD -> a + b;
                case MUL -> a * b;
                case MIN -> Math.min(a, b);
                case MAX -> Math.max(a, b);
            };
        }

        long of(long a, long b, long flip) {
            return switch (this) {
                case ADD -> a + b;
                case MUL -> a * b;
                case MIN -> (a ^ flip) <= (b ^ flip) ? a : b;
                case MAX -> (a ^ flip) >= (b ^ flip) ? a : b;
            };
        }
    }

    private record Floats(Combine combine) implements Store {
        @Override
        public void put(MemorySegment updates, long first, MemorySegment target, long at, long count) {
            for (long i = 0; i < count; i++) {
                set(updates, first + i, target, at + i);
            }
        }

        @Override
        public void putEach(MemorySegment updates, long first, MemorySegment target, long[] places, int count) {
            for (int i = 0; i < count; i++) {
                set(updates, first + i, target, places[i]);
            }
        }

        private void set(MemorySegment updates, long from, MemorySegment target, long at) {
            float old = target.get(ByteLayouts.FLOAT, at * Float.BYTES);
            float update = updates.get(ByteLayouts.FLOAT, from * Float.BYTES);
            target.set(ByteLayouts.FLOAT, at * Float.BYTES, combine.of(old, update));
        }
    }

    private static Store ofReals(Combine combine, ElementType type) {
        return (updates, first, target, at, count) -> {
            for (long i = 0; i < count; i++) {
                double old = Elements.getDouble(type, target, at + i);
                double update = Elements.getDouble(type, updates, first + i);
                Elements.setDouble(type, target, at + i, combine.of(old, update));
            }
        };
    }

    private static Store ofIntegers(Combine combine, ElementType type) {
        long flip = type == ElementType.UINT64 ? Long.MIN_VALUE : 0;
        return (updates, first, target, at, count) -> {
            for (long i = 0; i < count; i++) {
                long old = Elements.getLong(type, target, at + i);
                long update = Elements.getLong(type, updates, first + i);
                Elements.setLong(type, target, at + i, combine.of(old, update, flip));
            }
        };
    }

    private static EngineException unknown(Node node, String reduction) {
        return EngineException.invalidGraph(
                node.describe() + ": reduction '" + reduction + "'; known are none, add, mul, min, max");
    }

    /** Copies the data, unless the output overwrites it in place. */
    private static void copyData(LaunchContext run) {
        MemorySegment data = run.input(0);
        MemorySegment target = run.output(0);
        if (data.address() != target.address()) {
            for (long at = 0; at < data.byteSize(); at += COPIED_AT_ONCE) {
                run.checkCancelled();
                MemorySegment.copy(data, at, target, at, Math.min(COPIED_AT_ONCE, data.byteSize() - at));
            }
        }
    }

    /** Binds Scatter and ScatterElements. */
    static CellKernel elements(Node node) {
        long axisAttribute = node.attributes().integer("axis", 0);
        return context -> {
            if (!context.inputShape(1).equals(context.inputShape(2))) {
                throw EngineException.invalidArgument(node.describe() + ": indices of shape " + context.inputShape(1)
                        + " and updates of shape " + context.inputShape(2) + " differ");
            }
            Store store = store(node, context);
            var places = new Gathering.ElementPlaces(context, context.inputShape(0), 1, axisAttribute);
            context.mayReuse(0, 0);
            return run -> {
                copyData(run);
                int length = places.rowLength();
                int block = places.blockLength();
                long[] offsets = run.scratch().longs(0, block);
                for (long row = 0; row < places.rows(); row++) {
                    for (int first = 0; first < length; first += block) {
                        run.checkCancelled();
                        int count = places.some(run.input(1), row, first, offsets);
                        store.putEach(run.input(2), row * length + first, run.output(0), offsets, count);
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
                long[] offsets = run.scratch().longs(0, TUPLES);
                long[] tuples = run.scratch().longs(1, TUPLES * places.width());
                for (long first = 0; first < places.count(); first += TUPLES) {
                    run.checkCancelled();
                    int count = (int) Math.min(TUPLES, places.count() - first);
                    places.some(run.input(1), first, tuples, offsets, count);
                    if (cells == 1) {
                        store.putEach(run.input(2), first, run.output(0), offsets, count);
                    }
                    for (int i = 0; i < count && cells != 1; i++) {
                        run.checkCancelled(i);
                        store.put(run.input(2), (first + i) * cells, run.output(0), offsets[i], cells);
                    }
                }
            };
        };
    }

    /** TensorScatter: writes an update at a position of its own for each batch, as a key/value cache grows. */
    static CellKernel tensor(Node node) {
        long axisAttribute = node.attributes().integer("axis", -2);
        boolean circular = node.attributes().text("mode", "linear").equals("circular");
        return context -> {
            Shape data = context.inputShape(0);
            Shape update = context.inputShape(1);
            int axis = Shape.axis(axisAttribute, data.rank());
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
                    if (start < 0 || (!circular && start > extent - length)) {
                        throw Params.outside(node, start, extent);
                    }
                    for (long group = batch * groups; group < (batch + 1) * groups; group++) {
                        run.checkCancelled(group);
                        for (long i = 0; i < length; i++) {
                            long row = circular ? (start % extent + i) % extent : start + i;
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
