package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** Tensors made of parts of others, of any element type. All that is made owns its memory. */
public final class TensorParts {
    private TensorParts() {}

    /** Tensors of one type and shape, side by side along a new first axis. */
    public static Tensor stack(List<Tensor> tensors) {
        if (tensors.isEmpty()) {
            throw EngineException.invalidArgument("there is nothing to stack");
        }
        Tensor first = tensors.getFirst();
        Tensor stacked = Tensor.allocate(first.type(), withFirst(tensors.size(), first.shape()));
        for (int i = 0; i < tensors.size(); i++) {
            Tensor tensor = tensors.get(i);
            if (tensor.type() != first.type() || !tensor.shape().equals(first.shape())) {
                throw EngineException.invalidArgument("tensor " + i + " is a " + tensor + ", the first one a " + first
                        + ": pad them to one shape before they are stacked");
            }
            copy(tensor, 0, stacked, i * first.elements(), first.elements());
        }
        return stacked;
    }

    private static Shape withFirst(long extent, Shape rest) {
        long[] dims = new long[rest.rank() + 1];
        dims[0] = extent;
        System.arraycopy(rest.toArray(), 0, dims, 1, rest.rank());
        return Shape.of(dims);
    }

    /**
     * The elements from {@code start} to before {@code end} along an axis.
     *
     * @param axis counted from the end where it is negative
     */
    public static Tensor slice(Tensor tensor, int axis, long start, long end) {
        Shape shape = tensor.shape();
        int at = Shape.axis(axis, shape.rank());
        if (start < 0 || end < start || end > shape.dim(at)) {
            throw EngineException.invalidArgument(
                    "there are no elements " + start + " to " + end + " along axis " + at + " of a " + tensor);
        }
        Tensor slice = Tensor.allocate(tensor.type(), shape.with(at, end - start));
        long inner = shape.elements(at + 1, shape.rank());
        long count = (end - start) * inner;
        for (long outer = 0; outer < shape.elements(0, at) && count > 0; outer++) {
            copy(tensor, (outer * shape.dim(at) + start) * inner, slice, outer * count, count);
        }
        return slice;
    }

    /** Elements one after the other by value, from a place in the order of memory on; for every numeric type. */
    public static float[] floats(Tensor tensor, long first, int count) {
        if (first < 0 || count < 0 || first + count > tensor.elements()) {
            throw EngineException.invalidArgument(
                    "there are no " + count + " elements from " + first + " on in a " + tensor);
        }
        float[] values = new float[count];
        Tensor held = tensor.retain();
        try {
            Elements.read(held.type(), held.segment(), first, values, 0, count);
        } finally {
            tensor.release();
        }
        return values;
    }

    /** The tensor at the start of a larger one of the same rank; what is behind is zero, or the empty string. */
    public static Tensor pad(Tensor tensor, Shape to) {
        Shape shape = tensor.shape();
        boolean fits = to.rank() == shape.rank();
        for (int i = 0; i < shape.rank() && fits; i++) {
            fits = to.dim(i) >= shape.dim(i);
        }
        if (!fits) {
            throw EngineException.invalidArgument("a " + tensor + " cannot be padded to " + to);
        }
        Tensor padded = Tensor.allocate(tensor.type(), to);
        if (tensor.elements() == 0) {
            return padded;
        }
        long row = shape.rank() == 0 ? 1 : shape.dim(shape.rank() - 1);
        long[] strides = to.strides();
        for (long i = 0; i < tensor.elements() / row; i++) {
            long at = 0;
            long rest = i;
            for (int axis = shape.rank() - 2; axis >= 0; axis--) {
                at += rest % shape.dim(axis) * strides[axis];
                rest /= shape.dim(axis);
            }
            copy(tensor, i * row, padded, at, row);
        }
        return padded;
    }

    /** A number of a tensor of floats or of integers, as a double. */
    public static double number(Tensor tensor, long... index) {
        ElementType type = tensor.type();
        long at = place(tensor, index);
        return switch (type.kind()) {
            case FLOATING -> Elements.getDouble(type, tensor.segment(), at);
            case SIGNED, BOOLEAN -> Elements.getLong(type, tensor.segment(), at);
            case UNSIGNED -> Elements.unsignedToDouble(Elements.getLong(type, tensor.segment(), at));
            case COMPLEX, TEXT -> throw EngineException.invalidArgument("a " + tensor + " has no single numbers");
        };
    }

    /** An element of a tensor of strings. */
    public static String text(Tensor tensor, long... index) {
        return tensor.strings()[(int) place(tensor, index)];
    }

    private static long place(Tensor tensor, long[] index) {
        Shape shape = tensor.shape();
        boolean inside = index.length == shape.rank();
        long place = 0;
        for (int i = 0; i < index.length && inside; i++) {
            inside = index[i] >= 0 && index[i] < shape.dim(i);
            place = place * shape.dim(i) + index[i];
        }
        if (!inside) {
            throw EngineException.invalidArgument("a " + tensor + " has no element " + Arrays.toString(index));
        }
        return place;
    }

    private static void copy(Tensor from, long first, Tensor to, long at, long count) {
        ElementType type = from.type();
        if (type == ElementType.STRING) {
            System.arraycopy(from.strings(), (int) first, to.strings(), (int) at, (int) count);
            return;
        }
        MemorySegment source = from.segment();
        MemorySegment target = to.segment();
        if (type.bits() % Byte.SIZE == 0) {
            MemorySegment.copy(source, type.bytes(first), target, type.bytes(at), type.bytes(count));
            return;
        }
        for (long i = 0; i < count; i++) {
            if (type.isFloating()) {
                Elements.setDouble(type, target, at + i, Elements.getDouble(type, source, first + i));
            } else {
                Elements.setLong(type, target, at + i, Elements.getLong(type, source, first + i));
            }
        }
    }
}
