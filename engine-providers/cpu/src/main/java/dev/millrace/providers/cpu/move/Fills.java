package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;

/** Operators that create tensors from shapes and single values. */
final class Fills {
    /** The most bytes of a result that is kept with the binding; larger ones are filled in each run. */
    private static final long KEPT_BYTES = 1 << 16;

    private static final long GRAIN = 8192;

    private Fills() {}

    static ShapedKernel constant(Node node) {
        Tensor value = constantValue(node);
        return context -> {
            context.fold(0, value);
            return Launch.none();
        };
    }

    private static Tensor constantValue(Node node) {
        Attributes attributes = node.attributes();
        for (var entry : attributes.asMap().entrySet()) {
            String name = entry.getKey();
            if (!name.equals("sparse_value") && !name.startsWith("value")) {
                continue;
            }
            return switch (entry.getValue()) {
                case Attribute.TensorValue tensor -> tensor.value();
                case Attribute.Int number -> Tensor.copyOf(new long[] {number.value()});
                case Attribute.Float number -> Tensor.copyOf(new float[] {number.value()});
                case Attribute.Bytes bytes -> Tensor.ofStrings(Shape.SCALAR, bytes.text());
                case Attribute.Ints list ->
                    Tensor.copyOf(
                            list.values().stream().mapToLong(Long::longValue).toArray(),
                            list.values().size());
                case Attribute.Floats list -> {
                    float[] values = attributes.reals(name);
                    yield Tensor.copyOf(
                            values == null ? new float[0] : values,
                            list.values().size());
                }
                case Attribute.Strings list ->
                    Tensor.ofStrings(
                            Shape.of(list.values().size()),
                            list.values().stream().map(Attribute.Bytes::text).toArray(String[]::new));
                case Attribute.Sparse sparse -> dense(sparse);
                default ->
                    throw EngineException.invalidGraph(node.describe() + ": attribute '" + name + "' is of kind "
                            + entry.getValue().getClass().getSimpleName());
            };
        }
        throw EngineException.invalidGraph(node.describe() + ": none of its value attributes is given");
    }

    private static Tensor dense(Attribute.Sparse sparse) {
        Tensor values = sparse.values();
        Shape shape = Shape.of(sparse.dims());
        long[] strides = shape.strides();
        long[] indices = sparse.indices().longs();
        Tensor dense = Tensor.allocate(values.type(), shape);
        int width = sparse.indices().shape().rank() == 2 ? shape.rank() : 1;
        for (int i = 0; i < values.elements(); i++) {
            long at = 0;
            for (int axis = 0; axis < width; axis++) {
                at += indices[i * width + axis] * (width == 1 ? 1 : strides[axis]);
            }
            if (at < 0 || at >= shape.elements()) {
                throw EngineException.invalidGraph("a sparse constant has an index outside of its shape " + shape);
            }
            CellLoops.copy(Cells.size(values.type()), values.segment(), i, dense.segment(), at, 1);
        }
        return dense;
    }

    static ShapedKernel constantOfShape(Node node) {
        Tensor value =
                node.attributes().has("value") ? node.attributes().tensor("value") : Tensor.copyOf(new float[1], 1);
        ElementType type = value.type();
        int size = Cells.size(type);
        MemorySegment cell = new Cells().of(value);
        return context -> {
            Shape shape = context.outputShape(0);
            if (type == ElementType.STRING) {
                ArrayExtents.table("strings", shape.elements(), Long.BYTES);
            }
            if (Cells.areConverted(type) || type.bytes(shape.elements()) <= KEPT_BYTES) {
                context.fold(0, Aliases.filled(type, shape, value));
                return Launch.none();
            }
            return run -> CellLoops.fill(size, cell, 0, run.output(0), 0, shape.elements());
        };
    }

    static Launch range(BindContext context) {
        ElementType type = context.outputType(0);
        Tensor start = context.requireValue(0);
        Tensor delta = context.requireValue(2);
        boolean real = type.isFloating();
        double first = real ? Elements.getDouble(type, start.segment(), 0) : 0;
        double step = real ? Elements.getDouble(type, delta.segment(), 0) : 0;
        long firstLong = real ? 0 : Elements.getLong(type, start.segment(), 0);
        long stepLong = real ? 0 : Elements.getLong(type, delta.segment(), 0);
        return Generated.launch(context, GRAIN, (element, range, from, to) -> {
            for (long i = from; i < to; i++) {
                if (real) {
                    Elements.setDouble(element, range, i, first + i * step);
                } else {
                    Elements.setLong(element, range, i, firstLong + i * stepLong);
                }
            }
        });
    }

    static ShapedKernel eyeLike(Node node) {
        long k = node.attributes().integer("k", 0);
        return context -> {
            long columns = context.outputShape(0).dim(1);
            return Generated.launch(context, GRAIN, (type, eye, from, to) -> {
                for (long row = from / columns; row * columns < to; row++) {
                    long at = row * columns + row + k;
                    if (row + k >= 0 && row + k < columns && at >= from && at < to) {
                        Elements.setDouble(type, eye, at, 1);
                    }
                }
            });
        };
    }

    /** OneHot. Input 2 holds the values for off and on, in this order. */
    static CellKernel oneHot(Node node) {
        long axisAttribute = node.attributes().integer("axis", -1);
        return context -> {
            Shape out = context.outputShape(0);
            int axis = Shape.axis(axisAttribute, out.rank());
            long depth = out.dim(axis);
            long inner = out.elements(axis + 1, out.rank());
            long count = context.inputShape(0).elements();
            ElementType type = context.inputType(0);
            int size = Cells.size(context.outputType(0));
            return run -> {
                MemorySegment values = run.input(2);
                MemorySegment target = run.output(0);
                CellLoops.fill(size, values, 0, target, 0, out.elements());
                for (long i = 0; i < count; i++) {
                    run.checkCancelled(i);
                    long hot = type.isFloating()
                            ? (long) Elements.getDouble(type, run.input(0), i)
                            : Elements.getLong(type, run.input(0), i);
                    if (hot >= -depth && hot < depth) {
                        long place = (i / inner * depth + (hot < 0 ? hot + depth : hot)) * inner + i % inner;
                        CellLoops.copy(size, values, 1, target, place, 1);
                    }
                }
            };
        };
    }

    static CellKernel trilu(Node node) {
        boolean upper = node.attributes().flag("upper", true);
        return context -> {
            Shape shape = context.inputShape(0);
            long[] shift = Params.longs(context, 1);
            long rows = shape.dimAt(-2);
            long columns = shape.dimAt(-1);
            long k = shift == null ? 0 : Math.clamp(shift[0], -rows, columns);
            int size = Cells.size(context.outputType(0));
            context.mayReuse(0, 0);
            return Gathering.inParallel(shape.elements(0, shape.rank() - 1), columns, (run, from, to, scratch) -> {
                MemorySegment source = run.input(0);
                MemorySegment target = run.output(0);
                for (long row = from; row < to; row++) {
                    long edge = Math.clamp(upper ? row % rows + k : row % rows + k + 1, 0, columns);
                    long at = row * columns;
                    long first = upper ? edge : 0;
                    long end = upper ? columns : edge;
                    target.asSlice(at * size, first * size).fill((byte) 0);
                    CellLoops.copy(size, source, at + first, target, at + first, end - first);
                    target.asSlice((at + end) * size, (columns - end) * size).fill((byte) 0);
                }
            });
        };
    }
}
