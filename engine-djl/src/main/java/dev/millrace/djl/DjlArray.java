package dev.millrace.djl;

import ai.djl.ndarray.BaseNDManager;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.internal.NDArrayEx;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

/** An array of DJL: the elements and their moves. Its superclasses have the arithmetic. */
final class DjlArray extends IndexedArray {
    private ArrayData data;

    DjlArray(DjlManager manager, ArrayData data) {
        super(manager, new Shape(data.shape()), data.type(), UUID.randomUUID().toString());
        this.data = data;
        manager.attachInternal(getUid(), this);
        NDScope.register(this);
    }

    @Override
    ArrayData data() {
        if (isReleased()) {
            throw new IllegalStateException("the array was closed, or its manager was");
        }
        return data;
    }

    @Override
    DjlArray of(ArrayData result) {
        return ((DjlManager) manager).of(result);
    }

    @Override
    DjlArray like(NDArray other) {
        return other instanceof DjlArray own ? own : ((DjlManager) manager).from(other);
    }

    DjlArray map(DoubleUnaryOperator function) {
        return of(ArrayMath.map(data(), getDataType(), function));
    }

    @Override
    public void intern(NDArray replaced) {
        data = like(replaced).data();
        shape = new Shape(data.shape());
        dataType = data.type();
    }

    @Override
    public void detach() {
        manager.detachInternal(getUid());
        manager = DjlManager.TOP;
    }

    @Override
    public ByteBuffer toByteBuffer(boolean tryDirect) {
        ByteBuffer bytes = data().bytes();
        return bytes.duplicate().clear().asReadOnlyBuffer().order(ByteOrder.nativeOrder());
    }

    @Override
    public void set(Buffer content) {
        BaseNDManager.validateBuffer(content, getDataType(), data().size());
        BaseNDManager.copyBuffer(content, writable().bytes().clear());
    }

    @Override
    ArrayData writable() {
        if (data().bytes().isReadOnly()) {
            data = data.cast(data.type());
        }
        return data;
    }

    @Override
    public NDArrayEx getNDArrayInternal() {
        return UnsupportedOperations.around(new InnerOperations(this));
    }

    @Override
    public NDArray toType(DataType type, boolean copy) {
        return type == getDataType() && !copy ? this : of(data().cast(type));
    }

    @Override
    public NDList split(long sections, int axis) {
        long extent = data().extent(data().axis(axis));
        if (sections < 1 || extent % sections != 0) {
            throw new IllegalArgumentException("an axis of extent " + extent + " has no " + sections + " equal parts");
        }
        return split(
                IntStream.range(1, (int) sections)
                        .mapToLong(each -> each * (extent / sections))
                        .toArray(),
                axis);
    }

    @Override
    public NDList split(long[] places, int axis) {
        int along = data().axis(axis);
        var parts = new NDList();
        long from = 0;
        for (long place : places) {
            parts.add(of(data().part(along, from, place)));
            from = place;
        }
        parts.add(of(data().part(along, from, data().extent(along))));
        return parts;
    }

    @Override
    public NDArray reshape(Shape to) {
        return of(data().reshaped(to.getShape()));
    }

    @Override
    public NDArray flatten() {
        return of(data().reshaped(data().size()));
    }

    @Override
    public NDArray flatten(int first, int last) {
        int from = data().axis(first);
        int to = data().axis(last);
        if (from > to) {
            throw new IllegalArgumentException("axis " + first + " of " + getShape() + " stands behind axis " + last);
        }
        long[] old = data().shape();
        long[] flat = new long[old.length - (to - from)];
        for (int i = 0; i < flat.length; i++) {
            flat[i] = i == from
                    ? Arrays.stream(old, from, to + 1).reduce(1, Math::multiplyExact)
                    : old[i < from ? i : i + to - from];
        }
        return of(data().reshaped(flat));
    }

    @Override
    public NDArray expandDims(int axis) {
        return of(ArrayMath.extended(data(), axis < 0 ? axis + data().rank() + 1 : axis));
    }

    @Override
    public NDArray squeeze(int[] axes) {
        int[] counted = Arrays.stream(axes).map(data()::axis).toArray();
        for (int axis : counted) {
            if (data().shape()[axis] != 1) {
                throw new IllegalArgumentException("axis " + axis + " of " + getShape() + " has no extent of 1");
            }
        }
        return of(data().reshaped(IntStream.range(0, data().rank())
                .filter(axis -> Arrays.stream(counted).noneMatch(each -> each == axis))
                .mapToLong(axis -> data().shape()[axis])
                .toArray()));
    }

    @Override
    public NDArray transpose() {
        int last = data().rank() - 1;
        return transpose(IntStream.rangeClosed(0, last).map(axis -> last - axis).toArray());
    }

    @Override
    public NDArray transpose(int... axes) {
        return of(data().transposed(axes));
    }

    @Override
    public NDArray broadcast(Shape to) {
        return of(data().broadcast(to.getShape()));
    }

    @Override
    public NDArray flip(int... axes) {
        ArrayData flipped = data();
        for (int each : axes) {
            ArrayData from = flipped;
            int axis = from.axis(each);
            int stride = from.stride(axis);
            int extent = from.extent(axis);
            flipped = from.moved(from.shape(), index -> {
                int place = index / stride % extent;
                return index + (extent - 1 - 2 * place) * stride;
            });
        }
        return of(flipped);
    }

    /** Turns a plane by quarters, from its first axis to its second. */
    @Override
    public NDArray rotate90(int times, int[] axes) {
        if (axes.length != 2) {
            throw new IllegalArgumentException("a plane has two axes, not " + Arrays.toString(axes));
        }
        int first = data().axis(axes[0]);
        int second = data().axis(axes[1]);
        requireDifferent(first, second);
        return switch (Math.floorMod(times, 4)) {
            case 1 -> flip(second).swapAxes(first, second);
            case 2 -> flip(first, second);
            case 3 -> swapAxes(first, second).flip(second);
            default -> duplicate();
        };
    }

    private void requireDifferent(int first, int second) {
        if (first == second) {
            throw new IllegalArgumentException(
                    "a plane of " + getShape() + " has two axes, not axis " + first + " twice");
        }
    }

    /** Adds elements before and behind each axis, from the last axis on; negative numbers cut elements off. */
    @Override
    public NDArray pad(Shape padding, double value) {
        if (padding.dimension() % 2 != 0) {
            throw new IllegalArgumentException("a padding has two numbers for each axis, and is not " + padding);
        }
        ArrayData padded = data();
        for (int i = 0; i < padding.dimension(); i += 2) {
            int before = Math.toIntExact(padding.get(i));
            int behind = Math.toIntExact(padding.get(i + 1));
            padded = padded(padded, padded.axis(-1 - i / 2), before, behind, value);
        }
        return of(padded);
    }

    private static ArrayData padded(ArrayData from, int axis, int before, int behind, double value) {
        int extent = from.extent(axis);
        int stride = from.stride(axis);
        int wide = Math.addExact(Math.addExact(extent, before), behind);
        long[] shape = from.shape().clone();
        shape[axis] = wide;
        ArrayData padded = ArrayData.zeros(from.type(), shape);
        for (int i = 0; i < padded.size(); i++) {
            int place = i / stride % wide - before;
            if (place >= 0 && place < extent) {
                padded.copy(i, from, (i / stride / wide * extent + place) * stride + i % stride);
            } else {
                padded.set(i, value);
            }
        }
        return padded;
    }

    @Override
    public NDArray diagonal() {
        return diagonal(0);
    }

    @Override
    public NDArray diagonal(int offset) {
        return diagonal(offset, 0, 1);
    }

    /** Returns the diagonals of two axes, as the last axis. */
    @Override
    public NDArray diagonal(int offset, int first, int second) {
        ArrayData own = data();
        int row = own.axis(first);
        int column = own.axis(second);
        requireDifferent(row, column);
        int below = Math.max(0, -offset);
        int beside = Math.max(0, offset);
        int length = Math.max(0, Math.min(own.extent(row) - below, own.extent(column) - beside));
        int[] others = IntStream.range(0, own.rank())
                .filter(axis -> axis != row && axis != column)
                .toArray();
        IntStream extents = IntStream.concat(Arrays.stream(others).map(own::extent), IntStream.of(length));
        int[] strides = IntStream.concat(
                        Arrays.stream(others).map(own::stride), IntStream.of(own.stride(row) + own.stride(column)))
                .toArray();
        long[] to = extents.asLongStream().toArray();
        int start = below * own.stride(row) + beside * own.stride(column);
        return of(own.strided(start, to, strides));
    }

    @Override
    public NDArray trace(int offset, int first, int second) {
        return diagonal(offset, first, second).sum(new int[] {-1});
    }

    @Override
    public NDArray toDense() {
        return duplicate();
    }

    @Override
    public NDArray stopGradient() {
        return duplicate();
    }

    @Override
    public NDArray getGradient() {
        throw UnsupportedOperations.failure("getGradient");
    }

    @Override
    public void setRequiresGradient(boolean isRequired) {
        if (isRequired) {
            throw UnsupportedOperations.failure("setRequiresGradient");
        }
    }

    @Override
    public void close() {
        if (!isClosed) {
            super.close();
            manager.detachInternal(getUid());
        }
    }

    @Override
    public NDManager getManager() {
        return manager;
    }
}
