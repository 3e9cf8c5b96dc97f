package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrayAdapter;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.function.ToDoubleFunction;

/** The operations of an array of DJL along axes. Operations that no subclass has fail with their names. */
abstract class ReducingArray extends NDArrayAdapter {
    private static final int[] ALL = {};
    private static final int[] LAST = {-1};

    ReducingArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, UnsupportedOperations.MANAGER, shape, type, id);
    }

    abstract ArrayData data();

    /** Returns the elements for a change in their place. */
    abstract ArrayData writable();

    abstract ReducingArray of(ArrayData result);

    /** Returns an array of another engine or manager as one of this manager. */
    abstract ReducingArray like(NDArray other);

    private NDArray reduced(int[] axes, boolean keep, DataType type, ToDoubleFunction<double[]> function) {
        return of(ArrayMath.reduce(data(), axes, keep, type, function));
    }

    @Override
    public NDArray max() {
        return max(ALL, false);
    }

    @Override
    public NDArray max(int[] axes, boolean keep) {
        return reduced(axes, keep, getDataType(), ArrayMath::max);
    }

    @Override
    public NDArray min() {
        return min(ALL, false);
    }

    @Override
    public NDArray min(int[] axes, boolean keep) {
        return reduced(axes, keep, getDataType(), ArrayMath::min);
    }

    @Override
    public NDArray sum() {
        return sum(ALL, false);
    }

    @Override
    public NDArray sum(int[] axes, boolean keep) {
        return reduced(axes, keep, getDataType().isFloating() ? getDataType() : DataType.INT64, ArrayMath::sum);
    }

    @Override
    public NDArray mean() {
        return mean(ALL, false);
    }

    @Override
    public NDArray mean(int[] axes, boolean keep) {
        return reduced(axes, keep, ArrayMath.floating(getDataType()), ArrayMath::mean);
    }

    @Override
    public NDArray median() {
        return median(LAST);
    }

    /** Returns the middle of the elements along axes, or the smaller of two. */
    @Override
    public NDArray median(int[] axes) {
        return reduced(axes, false, getDataType(), ArrayMath::median);
    }

    @Override
    public NDArray percentile(Number percent) {
        return percentile(percent, LAST);
    }

    @Override
    public NDArray percentile(Number percent, int[] axes) {
        double part = percent.doubleValue() / 100;
        if (!(part >= 0 && part <= 1)) {
            throw new IllegalArgumentException("a percentile is from 0 to 100, not " + percent);
        }
        return reduced(axes, false, ArrayMath.floating(getDataType()), run -> ArrayMath.quantile(run, part));
    }

    @Override
    public NDArray norm(boolean keep) {
        return reduced(ALL, keep, ArrayMath.floating(getDataType()), run -> ArrayMath.norm(run, 2));
    }

    @Override
    public NDArray norm(int order, int[] axes, boolean keep) {
        return reduced(axes, keep, ArrayMath.floating(getDataType()), run -> ArrayMath.norm(run, order));
    }

    @Override
    public NDArray normalize(double exponent, long axis, double epsilon) {
        int[] along = {(int) axis};
        ArrayData norms = ArrayMath.reduce(
                data(), along, true, DataType.FLOAT64, run -> Math.max(epsilon, ArrayMath.norm(run, exponent)));
        return of(ArrayMath.zip(data(), norms, ArrayMath.floating(getDataType()), (x, norm) -> x / norm));
    }

    @Override
    public NDArray softmax(int axis) {
        return of(ArrayMath.softmax(data(), axis, false));
    }

    @Override
    public NDArray logSoftmax(int axis) {
        return of(ArrayMath.softmax(data(), axis, true));
    }

    @Override
    public NDArray argMax() {
        return reduced(ALL, false, DataType.INT64, ArrayMath::argMax);
    }

    @Override
    public NDArray argMax(int axis) {
        return reduced(new int[] {axis}, false, DataType.INT64, ArrayMath::argMax);
    }

    @Override
    public NDArray argMin() {
        return reduced(ALL, false, DataType.INT64, ArrayMath::argMin);
    }

    @Override
    public NDArray argMin(int axis) {
        return reduced(new int[] {axis}, false, DataType.INT64, ArrayMath::argMin);
    }

    @Override
    public NDArray argSort(int axis, boolean ascending) {
        return of(ArrayMath.argSort(data(), axis, ascending));
    }

    @Override
    public NDArray sort() {
        return sort(-1);
    }

    @Override
    public NDArray sort(int axis) {
        return gather(argSort(axis, true), axis);
    }

    @Override
    public NDList topK(int count, int axis, boolean largest, boolean sorted) {
        ArrayData order = ArrayMath.argSort(data(), axis, !largest);
        ReducingArray places = of(order.part(order.axis(axis), 0, count));
        return new NDList(gather(places, axis), places);
    }
}
