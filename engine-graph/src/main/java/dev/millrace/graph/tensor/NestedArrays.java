package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;

/** Arrays of arrays as tensors, and tensors as arrays of arrays: {@code float[][]} is a tensor of two axes. */
public final class NestedArrays {
    private NestedArrays() {}

    /**
     * A tensor of the elements of nested arrays of {@code float}, {@code double}, {@code long}, {@code int}, {@code short},
     * {@code byte}, {@code boolean} or {@code String}. Arrays beside each other have one length.
     */
    public static Tensor toTensor(Object array) {
        List<Long> dims = new ArrayList<>();
        Object at = array;
        Class<?> type = array.getClass();
        while (type.isArray()) {
            int length = at == null ? 0 : Array.getLength(at);
            dims.add((long) length);
            type = type.getComponentType();
            at = length == 0 || !type.isArray() ? null : Array.get(at, 0);
        }
        Tensor tensor = Tensor.allocate(typeOf(type), Shape.of(dims));
        fill(tensor, array, 0, 0, tensor.elements());
        return tensor;
    }

    private static ElementType typeOf(Class<?> type) {
        return switch (type.getName()) {
            case "float" -> ElementType.FLOAT;
            case "double" -> ElementType.DOUBLE;
            case "long" -> ElementType.INT64;
            case "int" -> ElementType.INT32;
            case "short" -> ElementType.INT16;
            case "byte" -> ElementType.INT8;
            case "boolean" -> ElementType.BOOL;
            case "java.lang.String" -> ElementType.STRING;
            default -> throw EngineException.invalidArgument("no tensor has elements of " + type.getName());
        };
    }

    private static void fill(Tensor tensor, Object array, int axis, long at, long count) {
        long extent = tensor.shape().dim(axis);
        if (Array.getLength(array) != extent) {
            throw EngineException.invalidArgument("arrays beside each other have " + extent + " and "
                    + Array.getLength(array) + " elements along axis " + axis);
        }
        boolean last = axis == tensor.shape().rank() - 1;
        for (int i = 0; i < extent; i++) {
            if (last) {
                set(tensor, at + i, Array.get(array, i));
            } else {
                fill(tensor, Array.get(array, i), axis + 1, at + i * (count / extent), count / extent);
            }
        }
    }

    private static void set(Tensor tensor, long at, Object value) {
        switch (value) {
            case String text -> tensor.strings()[(int) at] = text;
            case Boolean truth -> Elements.setLong(tensor.type(), tensor.segment(), at, truth ? 1 : 0);
            case Float real -> Elements.setDouble(tensor.type(), tensor.segment(), at, real);
            case Double real -> Elements.setDouble(tensor.type(), tensor.segment(), at, real);
            default -> Elements.setLong(tensor.type(), tensor.segment(), at, ((Number) value).longValue());
        }
    }

    /**
     * The elements as nested arrays, as many as there are axes: of {@code double} for doubles, {@code float} for other
     * floats, {@code boolean}, {@code String}, and {@code long} for integers of any size.
     *
     * @param kind what is expected, like {@code float[][].class}
     */
    public static <T> T fromTensor(Tensor tensor, Class<T> kind) {
        int rank = tensor.shape().rank();
        if (rank == 0) {
            throw EngineException.invalidArgument("a scalar is no array; read it by value");
        }
        Object flat = switch (tensor.type().kind()) {
            case FLOATING -> tensor.type() == ElementType.DOUBLE ? tensor.doubles() : tensor.floats();
            case SIGNED, UNSIGNED -> tensor.longs();
            case BOOLEAN -> tensor.booleans();
            case TEXT -> tensor.strings();
            case COMPLEX -> throw EngineException.invalidArgument("a " + tensor + " has no array of Java");
        };
        Object nested = nested(flat, tensor.shape(), 0, 0, Math.toIntExact(tensor.elements()));
        if (!kind.isInstance(nested)) {
            throw EngineException.invalidArgument(
                    "a " + tensor + " is a " + nested.getClass().getSimpleName() + ", no " + kind.getSimpleName());
        }
        return kind.cast(nested);
    }

    private static Object nested(Object flat, Shape shape, int axis, int at, int count) {
        int extent = Math.toIntExact(shape.dim(axis));
        Class<?> element = flat.getClass().getComponentType();
        int[] dims = new int[shape.rank() - axis];
        dims[0] = extent;
        Object array = Array.newInstance(element, dims);
        for (int i = 0; i < extent && dims.length > 1; i++) {
            Array.set(array, i, nested(flat, shape, axis + 1, at + i * (count / extent), count / extent));
        }
        if (dims.length == 1) {
            System.arraycopy(flat, at, array, 0, extent);
        }
        return array;
    }
}
