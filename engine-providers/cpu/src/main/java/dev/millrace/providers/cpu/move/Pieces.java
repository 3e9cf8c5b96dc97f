package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** Methods that split and join tensors, for operators that know their inputs only when they run. */
public final class Pieces {
    private Pieces() {}

    /** Returns a copy of {@code length} steps of {@code axis} from {@code start} on. */
    public static Tensor cut(Tensor tensor, int axis, long start, long length) {
        Shape shape = tensor.shape();
        if (start < 0 || length < 0 || start + length > shape.dim(axis)) {
            throw EngineException.invalidArgument("steps " + start + " to " + (start + length) + " of axis " + axis
                    + " reach outside of shape " + shape);
        }
        Shape part = shape.with(axis, length);
        Tensor piece = Tensor.allocate(tensor.type(), part);
        long[] strides = shape.strides();
        var cells = new Cells();
        var copy = StridedViewCopy.toWhole(Cells.size(tensor.type()), part, start * strides[axis], strides);
        if (Cells.areConverted(tensor.type())) {
            MemorySegment target = Cells.allocate(tensor.type(), part.elements());
            copy.run(cells.of(tensor), target);
            cells.store(target, piece);
        } else {
            copy.run(tensor.segment(), piece.segment());
        }
        return piece;
    }

    /**
     * Returns one step of {@code axis}, without the axis. It shares the memory of the tensor where its elements are
     * contiguous.
     */
    public static Tensor step(Tensor tensor, int axis, long place) {
        Shape shape = tensor.shape();
        ElementType type = tensor.type();
        boolean together = place >= 0 && place < shape.dim(axis) && shape.elements(0, axis) == 1;
        if (!together || Cells.areConverted(type)) {
            return withoutAxis(cut(tensor, axis, place, 1), axis);
        }
        long bytes = type.bytes(shape.elements(axis + 1, shape.rank()));
        MemorySegment there = tensor.segment().asSlice(place * bytes, bytes);
        return withoutAxis(Tensor.wrap(type, shape.with(axis, 1), there), axis);
    }

    /**
     * Returns copies of {@code count} consecutive pieces, each of {@code length} steps of {@code axis}, from its start
     * on.
     */
    public static List<Tensor> cutEqually(DynamicContext context, Tensor tensor, int axis, long length, long count) {
        Shape shape = tensor.shape();
        ElementType type = tensor.type();
        var pieces = new ArrayList<Tensor>();
        if (Cells.areConverted(type)) {
            for (long i = 0; i < count; i++) {
                context.checkCancelled();
                pieces.add(cut(tensor, axis, i * length, length));
            }
            return pieces;
        }
        Shape part = shape.with(axis, length);
        long inner = shape.elements(axis + 1, shape.rank());
        Shape all = Shape.of(count, shape.elements(0, axis), length * inner);
        Tensor memory = context.allocate(type, all);
        long[] steps = {length * inner, shape.dim(axis) * inner, 1};
        if (all.elements() > 0) {
            StridedViewCopy.toWhole(Cells.size(type), all, 0, steps).run(tensor.segment(), memory.segment());
        }
        long bytes = type.bytes(part.elements());
        for (long i = 0; i < count; i++) {
            context.checkCancelled(i);
            pieces.add(Tensor.wrap(type, part, memory.segment().asSlice(i * bytes, bytes)));
        }
        return pieces;
    }

    /** Concatenates the tensors along {@code axis}. */
    public static Tensor join(List<Tensor> parts, int axis) {
        Tensor first = parts.getFirst();
        ElementType type = first.type();
        long extent = 0;
        for (Tensor part : parts) {
            Shape shape = part.shape();
            if (part.type() != type
                    || shape.rank() != first.shape().rank()
                    || !shape.with(axis, 0).equals(first.shape().with(axis, 0))) {
                throw EngineException.invalidArgument(
                        "cannot put " + part + " beside " + first + " along axis " + axis);
            }
            extent += shape.dim(axis);
        }
        Tensor whole = Tensor.allocate(type, first.shape().with(axis, extent));
        boolean converted = Cells.areConverted(type);
        MemorySegment target = converted ? Cells.allocate(type, whole.elements()) : whole.segment();
        long[] strides = whole.shape().strides();
        var cells = new Cells();
        long at = 0;
        for (Tensor part : parts) {
            Shape shape = part.shape();
            StridedViewCopy.of(Cells.size(type), shape.toArray(), 0, shape.strides(), at * strides[axis], strides)
                    .run(cells.of(part), target);
            at += shape.dim(axis);
        }
        if (converted) {
            cells.store(target, whole);
        }
        return whole;
    }

    /** Stacks the tensors, all of one shape, along a new axis. */
    public static Tensor stack(List<Tensor> parts, int axis) {
        Tensor first = parts.getFirst();
        if (axis == 0 && !Cells.areConverted(first.type())) {
            return inOrder(parts, first.type(), first.shape());
        }
        for (Tensor part : parts) {
            requireLike(first, part);
        }
        return join(parts.stream().map(part -> withAxis(part, axis)).toList(), axis);
    }

    private static void requireLike(Tensor first, Tensor part) {
        if (part.type() != first.type() || !part.shape().equals(first.shape())) {
            throw EngineException.invalidArgument("cannot put " + part + " beside " + first);
        }
    }

    private static Tensor inOrder(List<Tensor> parts, ElementType type, Shape shape) {
        Tensor all = Tensor.allocate(type, Shape.of(parts.size(), shape.elements()));
        MemorySegment target = all.segment();
        long bytes = type.bytes(shape.elements());
        long at = 0;
        for (Tensor part : parts) {
            requireLike(parts.getFirst(), part);
            MemorySegment.copy(part.segment(), 0, target, at, bytes);
            at += bytes;
        }
        long[] dims = new long[shape.rank() + 1];
        dims[0] = parts.size();
        System.arraycopy(shape.toArray(), 0, dims, 1, shape.rank());
        return all.reshaped(Shape.of(dims));
    }

    /** Returns the same elements with another axis, of extent one. */
    public static Tensor withAxis(Tensor tensor, int axis) {
        long[] dims = tensor.shape().toArray();
        long[] more = new long[dims.length + 1];
        System.arraycopy(dims, 0, more, 0, axis);
        more[axis] = 1;
        System.arraycopy(dims, axis, more, axis + 1, dims.length - axis);
        return tensor.reshaped(Shape.of(more));
    }

    /** Returns the same elements without {@code axis}, whose extent is one. */
    public static Tensor withoutAxis(Tensor tensor, int axis) {
        long[] dims = tensor.shape().toArray();
        long[] fewer = new long[dims.length - 1];
        System.arraycopy(dims, 0, fewer, 0, axis);
        System.arraycopy(dims, axis + 1, fewer, axis, fewer.length - axis);
        return tensor.reshaped(Shape.of(fewer));
    }
}
