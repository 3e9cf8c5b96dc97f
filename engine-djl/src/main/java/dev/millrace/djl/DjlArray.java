package dev.millrace.djl;

import ai.djl.ndarray.BaseNDManager;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.index.dim.NDIndexBooleans;
import ai.djl.ndarray.index.dim.NDIndexElement;
import ai.djl.ndarray.index.dim.NDIndexTake;
import ai.djl.ndarray.internal.NDArrayEx;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import java.util.stream.IntStream;

/** An array of DJL: the elements and their moves. Its superclasses have the arithmetic. */
final class DjlArray extends LinearArray {
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
        BaseNDManager.copyBuffer(content, data().bytes().clear());
    }

    /** Returns the elements for a change in their place. */
    ArrayData writable() {
        if (data().bytes().isReadOnly()) {
            data = data.cast(data.type());
        }
        return data;
    }

    @Override
    public void set(NDIndex index, NDArray value) {
        new SliceIndexer().set(this, index, value);
    }

    @Override
    public void set(NDIndex index, Number value) {
        NDIndexElement only = index.getIndices().size() == 1 ? index.get(0) : null;
        switch (only) {
            case NDIndexBooleans mask -> set(mask.getIndex(), value);
            case NDIndexTake rows -> setRows(like(rows.getIndex()).data(), value.doubleValue());
            case null, default -> new SliceIndexer().set(this, index, value);
        }
    }

    /** Writes a number to all elements of some places of the first axis, which may be counted from its end. */
    private void setRows(ArrayData places, double value) {
        ArrayData own = writable();
        int width = own.stride(0);
        for (int i = 0; i < places.size(); i++) {
            int place = (int) places.get(i);
            int row = place < 0 ? place + own.extent(0) : place;
            if (row < 0 || row >= own.extent(0)) {
                throw new IllegalArgumentException("an axis of extent " + own.extent(0) + " has no place " + place);
            }
            for (int j = 0; j < width; j++) {
                own.set(row * width + j, value);
            }
        }
    }

    @Override
    public void set(NDIndex index, Function<NDArray, NDArray> function) {
        set(index, function.apply(get(index)));
    }

    /** Writes a number where a mask is true. The mask has the shape of the array, or of its first axes. */
    @Override
    public void set(NDArray mask, Number value) {
        ArrayData flags = like(mask).data();
        long[] axes = Arrays.copyOf(data().shape(), Math.min(flags.rank(), data().rank()));
        if (!Arrays.equals(axes, flags.shape())) {
            throw new IllegalArgumentException("a mask of the shape " + Arrays.toString(flags.shape())
                    + " does not fit an array of the shape " + Arrays.toString(data().shape()));
        }
        ArrayData own = writable();
        int width = flags.size() == 0 ? 1 : own.size() / flags.size();
        for (int i = 0; i < own.size(); i++) {
            if (flags.get(i / width) != 0) {
                own.set(i, value.doubleValue());
            }
        }
    }

    @Override
    public NDArrayEx getNDArrayInternal() {
        return UnsupportedOperations.around(new InnerOperations(this));
    }

    @Override
    public NDArray get(NDIndex index) {
        return get(manager, index);
    }

    @Override
    public NDArray toType(DataType type, boolean copy) {
        return type == getDataType() && !copy ? this : of(data().cast(type));
    }

    @Override
    public NDArray gather(NDArray places, int axis) {
        return of(ArrayMath.gather(data(), like(places).data(), axis));
    }

    @Override
    public NDArray booleanMask(NDArray mask, int axis) {
        ArrayData flags = like(mask).data();
        int along = data().axis(axis);
        int[] kept = IntStream.range(0, flags.size())
                .filter(each -> flags.get(each) != 0)
                .toArray();
        var parts = new ArrayList<ArrayData>();
        parts.add(data().part(along, 0, 0));
        Arrays.stream(kept).forEach(each -> parts.add(data().part(along, each, each + 1L)));
        return of(ArrayMath.concat(parts, along));
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
        int counted = axis < 0 ? axis + data().rank() + 1 : axis;
        var extended = new ArrayList<Long>();
        Arrays.stream(data().shape()).forEach(extended::add);
        extended.add(counted, 1L);
        return of(data().reshaped(extended.stream().mapToLong(Long::longValue).toArray()));
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
