package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.index.NDArrayIndexer;
import ai.djl.ndarray.index.full.NDIndexFullPick;
import ai.djl.ndarray.index.full.NDIndexFullSlice;
import ai.djl.ndarray.index.full.NDIndexFullTake;

/** The indexer of arrays: it takes and writes slices with steps. */
final class SliceIndexer extends NDArrayIndexer {
    @Override
    public NDArray get(NDArray array, NDIndexFullSlice slice) {
        var own = (DjlArray) array;
        ArrayData taken = own.data().sliced(slice.getMin(), slice.getMax(), slice.getStep());
        return own.of(taken.reshaped(slice.getSqueezedShape().getShape()));
    }

    @Override
    public NDArray get(NDArray array, NDIndexFullPick pick) {
        throw UnsupportedOperations.failure("get with picked elements");
    }

    @Override
    public NDArray get(NDArray array, NDIndexFullTake take) {
        throw UnsupportedOperations.failure("get with taken elements");
    }

    @Override
    public void set(NDArray array, NDIndexFullSlice slice, NDArray value) {
        var own = (DjlArray) array;
        ArrayData values =
                own.like(value).data().broadcast(slice.getSqueezedShape().getShape());
        own.writable().assign(slice.getMin(), slice.getMax(), slice.getStep(), values::get);
    }

    @Override
    public void set(NDArray array, NDIndexFullSlice slice, Number value) {
        double number = value.doubleValue();
        ((DjlArray) array).writable().assign(slice.getMin(), slice.getMax(), slice.getStep(), _ -> number);
    }
}
