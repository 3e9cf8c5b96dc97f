package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Operators that read the input at positions given by a tensor of indices. */
final class Gathering {
    private static final long GRAIN_CELLS = 1 << 13;

    private Gathering() {}

    /** Returns index {@code at} of a tensor of indices, with negative ones counted from the end. */
    static long index(Node node, ElementType type, MemorySegment indices, long at, long extent) {
        return fromFront(node, Elements.getLong(type, indices, at), extent);
    }

    private static long fromFront(Node node, long index, long extent) {
        if (index < -extent || index >= extent) {
            throw Params.outside(node, index, extent);
        }
        return index < 0 ? index + extent : index;
    }

    static Launch inParallel(long items, long cellsPerItem, RangeTask task) {
        long grain = Math.max(1, GRAIN_CELLS / Math.max(1, cellsPerItem));
        return context -> context.parallelFor(items, grain, task);
    }

    static CellKernel gather(Node node) {
        long axisAttribute = node.attributes().integer("axis", 0);
        return context -> {
            Shape in = context.inputShape(0);
            int axis = Shape.axis(axisAttribute, in.rank());
            long extent = in.dim(axis);
            long inner = in.elements(axis + 1, in.rank());
            long count = context.inputShape(1).elements();
            ElementType type = context.inputType(1);
            int size = Cells.size(context.outputType(0));
            return inParallel(in.elements(0, axis) * count, inner, (run, from, to, scratch) -> {
                MemorySegment source = run.input(0);
                MemorySegment indices = run.input(1);
                MemorySegment target = run.output(0);
                long outer = from / count;
                long at = from % count;
                for (long item = from; item < to; item++) {
                    long index = index(node, type, indices, at, extent);
                    CellLoops.copy(size, source, (outer * extent + index) * inner, target, item * inner, inner);
                    if (++at == count) {
                        at = 0;
                        outer++;
                    }
                }
            });
        };
    }

    static CellKernel gatherElements(Node node) {
        long axisAttribute = node.attributes().integer("axis", 0);
        return context -> {
            var places = new ElementPlaces(context, context.inputShape(0), 1, axisAttribute);
            int block = places.blockLength();
            int size = Cells.size(context.outputType(0));
            return inParallel(places.rows(), places.rowLength(), (run, from, to, scratch) -> {
                MemorySegment source = run.input(0);
                MemorySegment indices = run.input(1);
                MemorySegment target = run.output(0);
                int length = places.rowLength();
                long[] offsets = scratch.longs(0, block);
                for (long row = from; row < to; row++) {
                    for (int first = 0; first < length; first += block) {
                        run.checkCancelled();
                        int count = places.some(indices, row, first, offsets);
                        for (int i = 0; i < count; i++) {
                            CellLoops.copy(size, source, offsets[i], target, row * length + first + i, 1);
                        }
                    }
                }
            });
        };
    }

    static CellKernel gatherNd(Node node) {
        int batches = (int) node.attributes().integer("batch_dims", 0);
        return context -> {
            var places = new TuplePlaces(context, context.inputShape(0), 1, batches);
            int size = Cells.size(context.outputType(0));
            return inParallel(places.count(), places.sliceCells(), (run, from, to, scratch) -> {
                MemorySegment source = run.input(0);
                MemorySegment target = run.output(0);
                long cells = places.sliceCells();
                for (long item = from; item < to; item++) {
                    CellLoops.copy(size, source, places.at(run.input(1), item), target, item * cells, cells);
                }
            });
        };
    }

    /** ReverseSequence: reverses each sequence of a batch up to its own length. */
    static CellKernel reverseSequence(Node node) {
        int timeAxis = (int) node.attributes().integer("time_axis", 0);
        int batchAxis = (int) node.attributes().integer("batch_axis", 1);
        return context -> {
            Shape in = context.inputShape(0);
            long inner = in.elements(2, in.rank());
            long columns = in.dim(1);
            ElementType type = context.inputType(1);
            int size = Cells.size(context.outputType(0));
            long times = in.dim(timeAxis);
            long batchStep = (batchAxis == 0 ? columns : 1) * inner;
            long timeStep = (timeAxis == 0 ? columns : 1) * inner;
            return inParallel(in.dim(batchAxis), times * inner, (run, from, to, scratch) -> {
                for (long batch = from; batch < to; batch++) {
                    long length = Elements.getLong(type, run.input(1), batch);
                    if (length < 0 || length > times) {
                        throw Params.outside(node, length, times);
                    }
                    run.checkCancelled();
                    long first = batch * batchStep;
                    long last = first + (length - 1) * timeStep;
                    long behind = first + length * timeStep;
                    if (inner == 1 && times <= Integer.MAX_VALUE) {
                        CellLoops.copy(size, run.input(0), last, -timeStep, run.output(0), first, timeStep, length);
                        CellLoops.copy(
                                size, run.input(0), behind, timeStep, run.output(0), behind, timeStep, times - length);
                        continue;
                    }
                    for (long time = 0; time < times; time++) {
                        run.checkCancelled(time);
                        long source = time < length ? last - time * timeStep : first + time * timeStep;
                        CellLoops.copy(size, run.input(0), source, run.output(0), first + time * timeStep, inner);
                    }
                }
            });
        };
    }

    /** The cells of a gather or scatter by elements: coordinate {@code axis} is replaced by the index. */
    static final class ElementPlaces {
        private static final int BLOCK = 1 << 16;

        private final Node node;
        private final ElementType type;
        private final Shape indexShape;
        private final long[] strides;
        private final int axis;
        private final long extent;

        ElementPlaces(BindContext context, Shape data, int indexInput, long axisAttribute) {
            this.node = context.node();
            this.type = context.inputType(indexInput);
            this.indexShape = context.inputShape(indexInput);
            this.strides = data.strides();
            this.axis = Shape.axis(axisAttribute, data.rank());
            this.extent = data.dim(axis);
            for (int i = 0; i < data.rank(); i++) {
                if (i != axis && indexShape.dim(i) > data.dim(i)) {
                    throw EngineException.invalidArgument(
                            node.describe() + ": indices of shape " + indexShape + " reach outside of data " + data);
                }
            }
        }

        int rowLength() {
            return (int) indexShape.dim(indexShape.rank() - 1);
        }

        long rows() {
            return indexShape.elements(0, indexShape.rank() - 1);
        }

        /** The number of indices of a row that are processed at once. */
        int blockLength() {
            return Math.clamp(rowLength(), 1, BLOCK);
        }

        /** Computes the offsets in the data of a block of one row of indices. Returns their number. */
        int some(MemorySegment indices, long row, int first, long[] offsets) {
            int last = strides.length - 1;
            long base = 0;
            long rest = row;
            for (int i = last - 1; i >= 0; i--) {
                long coordinate = rest % indexShape.dim(i);
                rest /= indexShape.dim(i);
                base += i == axis ? 0 : coordinate * strides[i];
            }
            int count = Math.min(blockLength(), rowLength() - first);
            long step = axis == last ? 0 : 1;
            long stride = strides[axis];
            Elements.read(type, indices, row * rowLength() + first, offsets, 0, count);
            for (int i = 0; i < count; i++) {
                offsets[i] = base + (first + i) * step + fromFront(node, offsets[i], extent) * stride;
            }
            return count;
        }
    }

    /** The slices of a gather or scatter by index tuples. */
    static final class TuplePlaces {
        private final Node node;
        private final ElementType type;
        private final Shape data;
        private final long[] strides;
        private final int batches;
        private final int width;
        private final long count;
        private final long perBatch;

        TuplePlaces(BindContext context, Shape data, int indexInput, int batches) {
            this.node = context.node();
            this.type = context.inputType(indexInput);
            this.data = data;
            this.strides = data.strides();
            this.batches = batches;
            Shape indexShape = context.inputShape(indexInput);
            this.width = (int) indexShape.dim(indexShape.rank() - 1);
            this.count = indexShape.elements(0, indexShape.rank() - 1);
            this.perBatch = indexShape.elements(batches, indexShape.rank() - 1);
            if (batches + width > data.rank()) {
                throw EngineException.invalidArgument(
                        node.describe() + ": index tuples of " + width + " do not fit data of shape " + data);
            }
        }

        long count() {
            return count;
        }

        long sliceCells() {
            return data.elements(batches + width, data.rank());
        }

        int width() {
            return width;
        }

        /**
         * Computes the offsets of several tuples, whose indices are read into {@code tuples}. Only without batch
         * dimensions.
         */
        void some(MemorySegment indices, long first, long[] tuples, long[] places, int count) {
            Elements.read(type, indices, first * width, tuples, 0, count * width);
            Arrays.fill(places, 0, count, 0);
            for (int axis = 0; axis < width; axis++) {
                long extent = data.dim(axis);
                long stride = strides[axis];
                for (int i = 0; i < count; i++) {
                    places[i] += fromFront(node, tuples[i * width + axis], extent) * stride;
                }
            }
        }

        long at(MemorySegment indices, long tuple) {
            long offset = batches == 0 ? 0 : tuple / perBatch * data.elements(batches, data.rank());
            for (int i = 0; i < width; i++) {
                int axis = batches + i;
                offset += index(node, type, indices, tuple * width + i, data.dim(axis)) * strides[axis];
            }
            return offset;
        }
    }
}
