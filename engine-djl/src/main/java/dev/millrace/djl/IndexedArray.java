package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The elements of an array of DJL at places: taking and writing them. Elements that are taken are copies. */
abstract class IndexedArray extends SpectralArray {
    IndexedArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, shape, type, id);
    }

    private DjlIndexer indexer() {
        return new DjlIndexer((DjlManager) manager);
    }

    @Override
    public NDArray get(NDIndex index) {
        return indexer().get(this, index);
    }

    @Override
    public void set(NDIndex index, NDArray value) {
        indexer().set(this, index, (Object) value);
    }

    @Override
    public void set(NDIndex index, Number value) {
        indexer().set(this, index, (Object) value);
    }

    @Override
    public void set(NDIndex index, Function<NDArray, NDArray> function) {
        set(index, function.apply(get(index)));
    }

    /** Writes a number where a mask is true. The mask has the shape of the array, or of its first axes. */
    @Override
    public void set(NDArray mask, Number value) {
        set(new NDIndex().addBooleanIndex(mask), value);
    }

    @Override
    public void setScalar(NDIndex index, Number value) {
        indexer().setScalar(this, index, value);
    }

    @Override
    public NDArray booleanMask(NDArray mask, int axis) {
        int front = axis == 0 ? 0 : data().axis(axis);
        return get(new NDIndex().addAllDim(front).addBooleanIndex(mask));
    }

    @Override
    public NDArray gather(NDArray places, int axis) {
        return of(ArrayMath.gather(data(), like(places).data(), axis));
    }

    /** Returns elements of the flattened array, in the shape of the places. */
    @Override
    public NDArray take(NDManager target, NDArray places) {
        NDIndex index = new NDIndex().addIndices("{}", places);
        return new DjlIndexer((DjlManager) target).get(of(data().reshaped(data().size())), index);
    }

    /** Returns a copy of the array with other elements at places of the flattened array. */
    @Override
    public NDArray put(NDArray places, NDArray values) {
        NDArray flat = of(data().cast(getDataType()).reshaped(data().size()));
        flat.set(new NDIndex().addIndices("{}", places.flatten()), values.flatten());
        return flat.reshape(getShape());
    }

    /** Returns a copy of the array with other elements at places along an axis. The places have the shape of the elements. */
    @Override
    public NDArray scatter(NDArray places, NDArray values, int axis) {
        ArrayData result = data().cast(getDataType());
        ArrayData along = like(places).data();
        ArrayData given = like(values).data().cast(getDataType());
        int[] targets = ArrayMath.placesAlong(result, along, axis);
        boolean hasPlaces = given.rank() == along.rank()
                && IntStream.range(0, along.rank()).allMatch(i -> along.extent(i) <= given.extent(i));
        if (!hasPlaces) {
            throw new IllegalArgumentException("elements of the shape " + Arrays.toString(given.shape())
                    + " do not fit places of the shape " + Arrays.toString(along.shape()));
        }
        int[] strides = IntStream.range(0, given.rank()).map(given::stride).toArray();
        for (int i = 0; i < targets.length; i++) {
            result.copy(targets[i], given, ArrayData.place(i, along.shape(), strides));
        }
        return of(result);
    }

    /** Returns the elements or parts at places whose coordinates are the first axis of an array. */
    @Override
    public NDArray gatherNd(NDArray coordinates) {
        ArrayData given = like(coordinates).data();
        if (given.rank() == 0) {
            throw new IllegalArgumentException("a number has no coordinates of places");
        }
        long[] shape = Arrays.copyOfRange(given.shape(), 1, given.rank());
        var index = new NDIndex();
        for (int i = 0; i < given.extent(0); i++) {
            index.addIndices("{}", of(given.part(0, i, i + 1L).reshaped(shape)));
        }
        return get(index);
    }

    @Override
    public NDArray sequenceMask(NDArray lengths) {
        return sequenceMask(lengths, 0);
    }

    /** Writes a number over the elements behind the end of each sequence. Sequences are the first axis, their steps the second. */
    @Override
    public NDArray sequenceMask(NDArray lengths, float value) {
        ArrayData result = data().cast(getDataType());
        ArrayData ends = like(lengths).data();
        if (result.rank() < 2 || ends.size() != result.extent(0)) {
            throw new IllegalArgumentException(lengths.getShape() + " lengths do not fit sequences of " + getShape());
        }
        int stride = result.stride(1);
        int steps = result.extent(1);
        for (int i = 0; i < result.size(); i++) {
            if (i / stride % steps >= ends.get(i / stride / steps)) {
                result.set(i, value);
            }
        }
        return of(result);
    }

    /**
     * Returns the different elements, or parts along an axis, in their order; the place of each element of the array among them;
     * and how often each stands in the array.
     */
    @Override
    public NDList unique(@Nullable Integer dim, boolean sorted, boolean returnInverse, boolean returnCounts) {
        int axis = dim == null ? 0 : data().axis(dim);
        ArrayData parts = dim == null ? data().reshaped(data().size()) : data();
        int count = parts.extent(axis);
        ArrayData lines = parts.frontmost(axis);
        int width = count == 0 ? 0 : lines.size() / count;
        int[] order = MergeSort.order(count, (one, other) -> compare(lines, one * width, other * width, width));
        int[] firsts = IntStream.range(0, count)
                .filter(i -> i == 0 || compare(lines, order[i - 1] * width, order[i] * width, width) != 0)
                .toArray();
        ArrayData inverse = ArrayData.zeros(DataType.INT64, returnInverse ? count : 0);
        ArrayData counts = ArrayData.zeros(DataType.INT64, returnCounts ? firsts.length : 0);
        for (int place = 0; place < firsts.length; place++) {
            int below = place + 1 < firsts.length ? firsts[place + 1] : count;
            for (int i = firsts[place]; returnInverse && i < below; i++) {
                inverse.set(order[i], place);
            }
            if (returnCounts) {
                counts.set(place, below - firsts[place]);
            }
        }
        int[] taken = Arrays.stream(firsts).map(first -> order[first]).toArray();
        ArrayData found = parts.taken(axis, taken);
        ArrayData shaped = dim == null && returnInverse ? inverse.reshaped(data().shape()) : inverse;
        return new NDList(of(found), of(shaped), of(counts));
    }

    private static int compare(ArrayData lines, int one, int other, int width) {
        int compared = 0;
        for (int i = 0; i < width && compared == 0; i++) {
            compared = lines.compare(one + i, other + i);
        }
        return compared;
    }
}
