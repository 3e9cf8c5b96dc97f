package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntUnaryOperator;

/**
 * The elements of an array in row-major order. Arithmetic reads and writes them as doubles, so that whole numbers beyond 2^53
 * lose digits; moves copy their bytes.
 */
record ArrayData(DataType type, long[] shape, ByteBuffer bytes) {
    static ArrayData zeros(DataType type, long... shape) {
        long size = 1;
        for (long extent : shape) {
            size = Math.multiplyExact(size, extent);
        }
        int width = elementType(type).bits() / Byte.SIZE;
        int bytes = Math.toIntExact(Math.multiplyExact(size, width));
        return new ArrayData(
                type, shape.clone(), ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder()));
    }

    /** Returns the elements of a tensor, whose memory is used as it is. */
    static ArrayData of(Tensor tensor) {
        ByteBuffer bytes = tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder());
        return new ArrayData(dataType(tensor.type()), tensor.shape().toArray(), bytes);
    }

    Tensor tensor() {
        return Tensor.wrap(
                elementType(type),
                Shape.of(shape),
                MemorySegment.ofBuffer(bytes.duplicate().clear()));
    }

    static ElementType elementType(DataType type) {
        return switch (type) {
            case FLOAT32 -> ElementType.FLOAT;
            case FLOAT64 -> ElementType.DOUBLE;
            case FLOAT16 -> ElementType.FLOAT16;
            case UINT8 -> ElementType.UINT8;
            case INT8 -> ElementType.INT8;
            case INT32 -> ElementType.INT32;
            case INT64 -> ElementType.INT64;
            case BOOLEAN -> ElementType.BOOL;
            default -> throw new UnsupportedOperationException("arrays of type " + type);
        };
    }

    private static DataType dataType(ElementType type) {
        return switch (type) {
            case FLOAT -> DataType.FLOAT32;
            case DOUBLE -> DataType.FLOAT64;
            case FLOAT16 -> DataType.FLOAT16;
            case UINT8 -> DataType.UINT8;
            case INT8 -> DataType.INT8;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case BOOL -> DataType.BOOLEAN;
            default -> throw new UnsupportedOperationException("arrays of type " + type);
        };
    }

    int width() {
        return elementType(type).bits() / Byte.SIZE;
    }

    int size() {
        return bytes.capacity() / width();
    }

    int rank() {
        return shape.length;
    }

    int extent(int axis) {
        return Math.toIntExact(shape[axis]);
    }

    /** Returns an axis that may be counted from the end, as one from the beginning. */
    int axis(int axis) {
        int counted = axis < 0 ? axis + rank() : axis;
        if (counted < 0 || counted >= rank()) {
            throw new IllegalArgumentException("an array of rank " + rank() + " has no axis " + axis);
        }
        return counted;
    }

    /** Returns the number of elements between neighbours along an axis. */
    int stride(int axis) {
        int stride = 1;
        for (int i = axis + 1; i < rank(); i++) {
            stride *= extent(i);
        }
        return stride;
    }

    double get(int index) {
        return switch (type) {
            case FLOAT32 -> bytes.getFloat(4 * index);
            case FLOAT64 -> bytes.getDouble(8 * index);
            case FLOAT16 -> Float.float16ToFloat(bytes.getShort(2 * index));
            case UINT8 -> bytes.get(index) & 0xff;
            case INT32 -> bytes.getInt(4 * index);
            case INT64 -> bytes.getLong(8 * index);
            default -> bytes.get(index);
        };
    }

    void set(int index, double value) {
        switch (type) {
            case FLOAT32 -> bytes.putFloat(4 * index, (float) value);
            case FLOAT64 -> bytes.putDouble(8 * index, value);
            case FLOAT16 -> bytes.putShort(2 * index, Float.floatToFloat16((float) value));
            case INT32 -> bytes.putInt(4 * index, (int) value);
            case INT64 -> bytes.putLong(8 * index, (long) value);
            case BOOLEAN -> bytes.put(index, (byte) (value == 0 ? 0 : 1));
            default -> bytes.put(index, (byte) (int) value);
        }
    }

    ArrayData cast(DataType to) {
        if (to == type) {
            return moved(shape, index -> index);
        }
        ArrayData cast = zeros(to, shape);
        for (int i = 0; i < size(); i++) {
            cast.set(i, get(i));
        }
        return cast;
    }

    /** Returns an array of another shape whose elements are elements of this one. */
    ArrayData moved(long[] to, IntUnaryOperator source) {
        ArrayData moved = zeros(type, to);
        for (int i = 0; i < moved.size(); i++) {
            moved.copy(i, this, source.applyAsInt(i));
        }
        return moved;
    }

    /** Copies one element of another array of the same type. */
    void copy(int to, ArrayData from, int at) {
        int width = width();
        bytes.put(to * width, from.bytes, at * width, width);
    }

    /** Returns the same elements in another shape, of which one extent may be -1. */
    ArrayData reshaped(long... to) {
        long[] whole = to.clone();
        long known = 1;
        int open = -1;
        for (int i = 0; i < whole.length; i++) {
            if (whole[i] < 0) {
                open = i;
            } else {
                known *= whole[i];
            }
        }
        if (open >= 0) {
            whole[open] = known == 0 ? 0 : size() / known;
            known *= whole[open];
        }
        if (known != size()) {
            throw new IllegalArgumentException(
                    Arrays.toString(shape) + " cannot be reshaped to " + Arrays.toString(to));
        }
        return new ArrayData(type, whole, bytes);
    }

    /** Returns the array repeated along axes of extent 1, and along new axes in front. */
    ArrayData broadcast(long... to) {
        if (Arrays.equals(shape, to)) {
            return this;
        }
        int[] strides = new int[to.length];
        int more = to.length - rank();
        for (int i = 0; i < to.length; i++) {
            boolean isOwn = i >= more;
            if (more < 0 || (isOwn && shape[i - more] != 1 && shape[i - more] != to[i])) {
                throw new IllegalArgumentException(
                        Arrays.toString(shape) + " cannot be broadcast to " + Arrays.toString(to));
            }
            strides[i] = isOwn && shape[i - more] != 1 ? stride(i - more) : 0;
        }
        return moved(to, index -> place(index, to, strides));
    }

    /** Returns the place of an element of an array of shape {@code to} in one with other strides. */
    static int place(int index, long[] to, int[] strides) {
        int rest = index;
        int place = 0;
        for (int axis = to.length - 1; axis >= 0; axis--) {
            int extent = (int) to[axis];
            place += rest % extent * strides[axis];
            rest /= extent;
        }
        return place;
    }

    ArrayData transposed(int... axes) {
        long[] to = new long[rank()];
        int[] strides = new int[rank()];
        for (int i = 0; i < rank(); i++) {
            to[i] = shape[axis(axes[i])];
            strides[i] = stride(axis(axes[i]));
        }
        return moved(to, index -> place(index, to, strides));
    }

    /** Returns the elements from {@code min} to {@code max} of each axis. */
    ArrayData sliced(long[] min, long[] max, long[] step) {
        long[] to = extents(min, max, step);
        return moved(to, places(to, min, step));
    }

    /** Writes the elements from {@code min} to {@code max} of each axis, in their order. */
    void assign(long[] min, long[] max, long[] step, IntToDoubleFunction value) {
        long[] to = extents(min, max, step);
        IntUnaryOperator places = places(to, min, step);
        int count = 1;
        for (long extent : to) {
            count *= (int) extent;
        }
        for (int i = 0; i < count; i++) {
            set(places.applyAsInt(i), value.applyAsDouble(i));
        }
    }

    private static long[] extents(long[] min, long[] max, long[] step) {
        long[] to = new long[min.length];
        for (int i = 0; i < to.length; i++) {
            to[i] = Math.max(0, Math.ceilDiv(max[i] - min[i], step[i]));
        }
        return to;
    }

    /** Returns the places of the elements of a slice of shape {@code to}. */
    private IntUnaryOperator places(long[] to, long[] min, long[] step) {
        int[] strides = new int[rank()];
        int start = 0;
        for (int i = 0; i < rank(); i++) {
            strides[i] = Math.toIntExact(step[i] * stride(i));
            start += Math.toIntExact(min[i]) * stride(i);
        }
        int first = start;
        return index -> first + place(index, to, strides);
    }

    /** Returns the part of an axis from {@code from} to before {@code below}. */
    ArrayData part(int axis, long from, long below) {
        long[] min = new long[rank()];
        long[] max = shape.clone();
        long[] step = new long[rank()];
        Arrays.fill(step, 1);
        min[axis] = from;
        max[axis] = below;
        return sliced(min, max, step);
    }
}
