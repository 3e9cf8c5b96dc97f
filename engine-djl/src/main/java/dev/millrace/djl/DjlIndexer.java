package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.index.NDArrayIndexer;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.index.full.NDIndexFullPick;
import ai.djl.ndarray.index.full.NDIndexFullSlice;
import ai.djl.ndarray.index.full.NDIndexFullTake;
import java.util.Arrays;

/** The indexer of arrays. It takes copies of elements, for the arrays of a manager, and writes elements. */
final class DjlIndexer extends NDArrayIndexer {
    private final DjlManager manager;

    DjlIndexer(DjlManager manager) {
        this.manager = manager;
    }

    @Override
    public DjlArray get(NDArray array, NDIndex index) {
        ArrayData data = ((DjlArray) array).data();
        ArrayIndex found = ArrayIndex.of(index, (DjlArray) array);
        int[] places = found.places();
        return manager.of(data.moved(found.shape(), i -> places[i]));
    }

    @Override
    public NDArray get(NDArray array, NDIndexFullPick pick) {
        return get(array, new NDIndex().addAllDim(pick.getAxis()).addPickDim(pick.getIndices()));
    }

    @Override
    public NDArray get(NDArray array, NDIndexFullTake take) {
        return get(array, new NDIndex().addAllDim(take.getAxis()).addIndices("{}", take.getIndices()));
    }

    @Override
    public NDArray get(NDArray array, NDIndexFullSlice slice) {
        return get(array, index(slice)).reshape(slice.getSqueezedShape());
    }

    private static NDIndex index(NDIndexFullSlice slice) {
        var index = new NDIndex();
        for (int i = 0; i < slice.getMin().length; i++) {
            index.addSliceDim(slice.getMin()[i], slice.getMax()[i], slice.getStep()[i]);
        }
        return index;
    }

    @Override
    public void set(NDArray array, NDIndex index, Object value) {
        var own = (DjlArray) array;
        ArrayIndex found = ArrayIndex.of(index, own);
        int[] places = found.places();
        ArrayData target = own.writable();
        switch (value) {
            case Number number -> {
                ArrayData one = ArrayData.number(number).cast(target.type());
                Arrays.stream(places).forEach(place -> target.copy(place, one, 0));
            }
            case NDArray given ->
                write(target, found.shape(), places, own.like(given).data());
            default -> throw new IllegalArgumentException("an array takes arrays and numbers, not " + value);
        }
    }

    /** Writes values that are broadcast to the shape of the places, or stand at the places of an array like the target. */
    private static void write(ArrayData target, long[] shape, int[] places, ArrayData given) {
        ArrayData values = given.cast(target.type()); // a copy, because both may be one array
        if (Arrays.equals(given.shape(), target.shape()) && !Arrays.equals(given.shape(), shape)) {
            Arrays.stream(places).forEach(place -> target.copy(place, values, place));
            return;
        }
        ArrayData wide = ArrayMath.withoutLeadingOnes(values, shape.length).broadcast(shape);
        for (int i = 0; i < places.length; i++) {
            target.copy(places[i], wide, i);
        }
    }

    @Override
    public void set(NDArray array, NDIndexFullSlice slice, NDArray value) {
        set(array, index(slice), (Object) value);
    }

    @Override
    public void set(NDArray array, NDIndexFullSlice slice, Number value) {
        set(array, index(slice), (Object) value);
    }

    @Override
    public void setScalar(NDArray array, NDIndex index, Number value) {
        if (ArrayIndex.of(index, (DjlArray) array).places().length != 1) {
            throw new IllegalArgumentException("the index of a scalar names more than one element, or none");
        }
        set(array, index, (Object) value);
    }
}
