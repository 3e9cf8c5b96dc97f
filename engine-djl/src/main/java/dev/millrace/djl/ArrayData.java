package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The elements of an array in row-major order. Arithmetic reads and writes them as doubles, so that whole numbers beyond 2^53
 * lose digits; moves copy their bytes.
 */
record ArrayData(DataType type, long[] shape, ByteBuffer bytes) {
    static ArrayData zeros(DataType type, long... shape) {
        long bytes = elementType(type).bits() / Byte.SIZE;
        for (long extent : shape) {
            if (extent < 0) {
                throw new IllegalArgumentException("an extent of the shape " + Arrays.toString(shape) + " is negative");
            }
            bytes = extent == 0 || bytes <= Long.MAX_VALUE / extent ? bytes * extent : Long.MAX_VALUE;
        }
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "an array of type " + type + " and shape " + Arrays.toString(shape) + " has 2 GB or more");
        }
        return new ArrayData(
                type, shape.clone(), ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder()));
    }

    /** Returns a number as an array without axes. */
    static ArrayData number(Number number) {
        boolean isWhole = !(number instanceof Float || number instanceof Double);
        ArrayData one = zeros(isWhole ? DataType.INT64 : DataType.FLOAT64);
        if (isWhole) {
            one.setLong(0, number.longValue());
        } else {
            one.set(0, number.doubleValue());
        }
        return one;
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
            case BFLOAT16 -> ElementType.BFLOAT16;
            case UINT8 -> ElementType.UINT8;
            case INT8 -> ElementType.INT8;
            case UINT16 -> ElementType.UINT16;
            case INT16 -> ElementType.INT16;
            case UINT32 -> ElementType.UINT32;
            case INT32 -> ElementType.INT32;
            case INT64 -> ElementType.INT64;
            case BOOLEAN -> ElementType.BOOL;
            case COMPLEX64 -> ElementType.COMPLEX64;
            default -> throw new UnsupportedOperationException("arrays of type " + type);
        };
    }

    private static DataType dataType(ElementType type) {
        return switch (type) {
            case FLOAT -> DataType.FLOAT32;
            case DOUBLE -> DataType.FLOAT64;
            case FLOAT16 -> DataType.FLOAT16;
            case BFLOAT16 -> DataType.BFLOAT16;
            case UINT8 -> DataType.UINT8;
            case INT8 -> DataType.INT8;
            case UINT16 -> DataType.UINT16;
            case INT16 -> DataType.INT16;
            case UINT32 -> DataType.UINT32;
            case INT32 -> DataType.INT32;
            case INT64 -> DataType.INT64;
            case BOOL -> DataType.BOOLEAN;
            case COMPLEX64 -> DataType.COMPLEX64;
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
            case BFLOAT16 -> Float.intBitsToFloat(bytes.getShort(2 * index) << 16);
            default -> getLong(index);
        };
    }

    /** Returns an element of an array of whole numbers. */
    private long getLong(int index) {
        return switch (type) {
            case UINT8 -> bytes.get(index) & 0xff;
            case INT16 -> bytes.getShort(2 * index);
            case UINT16 -> bytes.getShort(2 * index) & 0xffff;
            case INT32 -> bytes.getInt(4 * index);
            case UINT32 -> bytes.getInt(4 * index) & 0xffff_ffffL;
            case INT64 -> bytes.getLong(8 * index);
            case COMPLEX64 -> throw UnsupportedOperations.failure("arithmetic of complex numbers");
            default -> bytes.get(index);
        };
    }

    void set(int index, double value) {
        switch (type) {
            case FLOAT32 -> bytes.putFloat(4 * index, (float) value);
            case FLOAT64 -> bytes.putDouble(8 * index, value);
            case FLOAT16 -> bytes.putShort(2 * index, Float.floatToFloat16((float) value));
            case BFLOAT16 -> bytes.putShort(2 * index, bfloat16((float) value));
            case BOOLEAN -> bytes.put(index, (byte) (value == 0 ? 0 : 1));
            default -> setLong(index, (long) value);
        }
    }

    /** Writes an element of an array of whole numbers. Narrow types keep the low bits. */
    private void setLong(int index, long value) {
        switch (type) {
            case INT16, UINT16 -> bytes.putShort(2 * index, (short) value);
            case INT32, UINT32 -> bytes.putInt(4 * index, (int) value);
            case INT64 -> bytes.putLong(8 * index, value);
            case COMPLEX64 -> throw UnsupportedOperations.failure("arithmetic of complex numbers");
            case BOOLEAN -> bytes.put(index, (byte) (value == 0 ? 0 : 1));
            default -> bytes.put(index, (byte) value);
        }
    }

    private static short bfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (Float.isNaN(value) ? bits >> 16 | 0x40 : bits + 0x7fff + (bits >> 16 & 1) >> 16);
    }

    ArrayData cast(DataType to) {
        ArrayData cast = zeros(to, shape);
        if (to == type) {
            cast.copy(0, this, 0, 1, size());
            return cast;
        }
        boolean isWhole = !to.isFloating() && !type.isFloating();
        for (int i = 0; i < size(); i++) {
            if (isWhole) {
                cast.setLong(i, getLong(i));
            } else {
                cast.set(i, get(i));
            }
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
        switch (width()) {
            case 1 -> bytes.put(to, from.bytes.get(at));
            case 2 -> bytes.putShort(2 * to, from.bytes.getShort(2 * at));
            case 4 -> bytes.putInt(4 * to, from.bytes.getInt(4 * at));
            default -> bytes.putLong(8 * to, from.bytes.getLong(8 * at));
        }
    }

    /** Copies {@code count} elements of another array of the same type, which stand {@code stride} elements apart there. */
    void copy(int to, ArrayData from, int at, int stride, int count) {
        if (stride == 1) {
            bytes.put(to * width(), from.bytes, at * width(), count * width());
            return;
        }
        for (int i = 0; i < count; i++) {
            copy(to + i, from, at + i * stride);
        }
    }

    /** Compares two elements. Whole numbers are compared exactly; zeros are equal, and NaN is the largest number. */
    int compare(int one, int other) {
        return type.isFloating()
                ? Double.compare(get(one) + 0.0, get(other) + 0.0) // -0.0 + 0.0 is 0.0
                : Long.compare(getLong(one), getLong(other));
    }

    /** Returns an array of another shape, whose elements stand in this one at a place and with strides from there. */
    ArrayData strided(int start, long[] to, int... strides) {
        ArrayData result = zeros(type, to);
        int last = to.length - 1;
        int run = last < 0 ? 1 : (int) to[last];
        int stride = last < 0 ? 1 : strides[last];
        long[] outer = Arrays.copyOf(to, Math.max(0, last));
        int size = result.size();
        for (int i = 0; i < size; i += run) {
            result.copy(i, this, start + place(i / run, outer, strides), stride, run);
        }
        return result;
    }

    /** Returns the same elements in another shape, of which one extent may be -1. */
    ArrayData reshaped(long... to) {
        long[] whole = to.clone();
        long known = 1;
        int open = -1;
        for (int i = 0; i < whole.length; i++) {
            if (whole[i] >= 0) {
                known = Math.multiplyExact(known, whole[i]);
            } else if (whole[i] == -1 && open < 0) {
                open = i;
            } else {
                throw new IllegalArgumentException(
                        "the shape " + Arrays.toString(to) + " has a negative extent, or more than one of -1");
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
        return strided(0, to, broadcastStrides(shape, to));
    }

    /** Returns the strides with which an array of one shape has another. */
    static int[] broadcastStrides(long[] shape, long[] to) {
        int more = to.length - shape.length;
        boolean fits =
                more >= 0 && IntStream.range(0, shape.length).allMatch(i -> shape[i] == 1 || shape[i] == to[i + more]);
        if (!fits) {
            throw new IllegalArgumentException(
                    Arrays.toString(shape) + " cannot be broadcast to " + Arrays.toString(to));
        }
        int[] strides = new int[to.length];
        int stride = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides[i + more] = shape[i] == 1 ? 0 : stride;
            stride *= (int) shape[i];
        }
        return strides;
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
        int[] counted = Arrays.stream(axes).map(this::axis).toArray();
        if (counted.length != rank() || Arrays.stream(counted).distinct().count() != rank()) {
            throw new IllegalArgumentException(
                    "an array of rank " + rank() + " has no order of axes " + Arrays.toString(axes));
        }
        return strided(
                0,
                Arrays.stream(counted).mapToLong(this::extent).toArray(),
                Arrays.stream(counted).map(this::stride).toArray());
    }

    /** Returns the part of an axis from {@code from} to before {@code below}. */
    ArrayData part(int axis, long from, long below) {
        if (from < 0 || from > below || below > extent(axis)) {
            throw new IllegalArgumentException(
                    "an axis of extent " + extent(axis) + " has no part from " + from + " to " + below);
        }
        int[] strides = IntStream.range(0, rank()).map(this::stride).toArray();
        long[] to = shape.clone();
        to[axis] = below - from;
        return strided((int) from * strides[axis], to, strides);
    }

    /** Returns the array with an axis in front of the others. */
    ArrayData frontmost(int axis) {
        IntStream others = IntStream.range(0, rank()).filter(each -> each != axis);
        return transposed(IntStream.concat(IntStream.of(axis), others).toArray());
    }

    /** Returns the parts at places along an axis. */
    ArrayData taken(int axis, int... places) {
        int stride = stride(axis);
        int extent = extent(axis);
        long[] to = shape.clone();
        to[axis] = places.length;
        ArrayData result = zeros(type, to);
        for (int i = 0; stride > 0 && i < result.size() / stride; i++) {
            int from = i / places.length * extent + places[i % places.length];
            result.copy(i * stride, this, from * stride, 1, stride);
        }
        return result;
    }
}
