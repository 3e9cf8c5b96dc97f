package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;

/** The products, running sums and repetitions of an array of DJL. */
abstract class LinearArray extends FunctionArray {
    LinearArray(NDManager manager, Shape shape, DataType type, String id) {
        super(manager, shape, type, id);
    }

    @Override
    public NDArray matMul(NDArray other) {
        ArrayData left = data();
        ArrayData right = like(other).data();
        DataType type = ArrayMath.promoted(getDataType(), other.getDataType());
        if (left.rank() == 0 || right.rank() == 0) {
            throw new IllegalArgumentException("a number has no matrix product; use mul");
        }
        ArrayData rows = left.rank() == 1 ? left.reshaped(1, left.size()) : left;
        ArrayData columns = right.rank() == 1 ? right.reshaped(right.size(), 1) : right;
        ArrayData product = Matrices.product(rows, columns, type);
        long[] shape = product.shape();
        int last = shape.length - 1;
        return of(product.reshaped(IntStream.rangeClosed(0, last)
                .filter(axis -> !(axis == last - 1 && left.rank() == 1) && !(axis == last && right.rank() == 1))
                .mapToLong(axis -> shape[axis])
                .toArray()));
    }

    @Override
    public NDArray dot(NDArray other) {
        if (data().rank() > 2 || other.getShape().dimension() > 2) {
            throw UnsupportedOperations.failure("dot of arrays with more than two axes; use matMul");
        }
        boolean isScaled = data().rank() == 0 || other.getShape().dimension() == 0;
        return isScaled ? mul(other) : matMul(other);
    }

    @Override
    public NDArray batchMatMul(NDArray other) {
        if (data().rank() != 3 || other.getShape().dimension() != 3) {
            throw new IllegalArgumentException(
                    "batchMatMul takes arrays of three axes, not of " + getShape() + " and " + other.getShape());
        }
        return matMul(other);
    }

    /** Returns the batch of products of matrices, as {@link #batchMatMul} does. */
    @Override
    public NDArray batchDot(NDArray other) {
        return batchMatMul(other);
    }

    /** Returns the inverse of each matrix of the last two axes. */
    @Override
    public NDArray inverse() {
        return of(Matrices.inverse(data()));
    }

    @Override
    public NDArray cumSum() {
        return flatten().cumSum(0);
    }

    @Override
    public NDArray cumSum(int axis) {
        return of(running(axis, summed(), Double::sum));
    }

    @Override
    public NDArray cumProd(int axis) {
        return cumProd(axis, summed());
    }

    @Override
    public NDArray cumProd(int axis, DataType type) {
        return of(running(axis, type, (x, y) -> x * y));
    }

    /** Returns the type of a sum of elements. */
    private DataType summed() {
        return getDataType().isFloating() ? getDataType() : DataType.INT64;
    }

    private ArrayData running(int axis, DataType type, DoubleBinaryOperator function) {
        ArrayData run = data().cast(type);
        int along = run.axis(axis);
        int stride = run.stride(along);
        for (int i = 0; i < run.size(); i++) {
            if (i / stride % run.extent(along) > 0) {
                run.set(i, function.applyAsDouble(run.get(i - stride), run.get(i)));
            }
        }
        return run;
    }

    /** Returns the differences of neighbours along an axis, taken {@code times} times. */
    @Override
    public NDArray diff(int times, int axis) {
        if (times < 0) {
            throw new IllegalArgumentException("differences cannot be taken " + times + " times");
        }
        ArrayData run = data();
        int along = run.axis(axis);
        for (int i = 0; i < times && run.extent(along) > 0; i++) {
            ArrayData later = run.part(along, 1, run.extent(along));
            ArrayData earlier = run.part(along, 0, run.extent(along) - 1L);
            run = ArrayMath.zip(later, earlier, getDataType(), (x, y) -> x - y);
        }
        return of(run);
    }

    @Override
    public NDArray prod() {
        return prod(new int[0], false);
    }

    @Override
    public NDArray prod(int[] axes, boolean keep) {
        return of(ArrayMath.reduce(
                data(), axes, keep, summed(), run -> Arrays.stream(run).reduce(1, (x, y) -> x * y)));
    }

    /** Repeats each element along all axes. */
    @Override
    public NDArray repeat(long repeats) {
        return repeat(IntStream.range(0, data().rank()).mapToLong(_ -> repeats).toArray());
    }

    /** Repeats each element along the first axes. */
    @Override
    public NDArray repeat(long[] repeats) {
        ArrayData repeated = data();
        for (int axis = 0; axis < repeats.length; axis++) {
            repeated = ArrayMath.repeated(repeated, axis, repeats[axis], false);
        }
        return of(repeated);
    }

    /** Repeats each element until the array has a shape. */
    @Override
    public NDArray repeat(Shape desired) {
        return repeat(times(desired));
    }

    /** Returns how often the array stands in a shape along each axis. */
    private long[] times(Shape desired) {
        long[] shape = data().shape();
        boolean fits = desired.dimension() == shape.length
                && IntStream.range(0, shape.length).allMatch(i -> shape[i] > 0 && desired.get(i) % shape[i] == 0);
        if (!fits) {
            throw new IllegalArgumentException(getShape() + " cannot be repeated to " + desired);
        }
        return IntStream.range(0, shape.length)
                .mapToLong(i -> desired.get(i) / shape[i])
                .toArray();
    }

    /** Repeats each element along an axis. */
    @Override
    public NDArray repeat(int axis, long repeats) {
        return of(ArrayMath.repeated(data(), axis, repeats, false));
    }

    /** Repeats the array along all axes. */
    @Override
    public NDArray tile(long repeats) {
        return tile(IntStream.range(0, data().rank()).mapToLong(_ -> repeats).toArray());
    }

    /** Repeats the array until it has a shape. */
    @Override
    public NDArray tile(Shape desired) {
        return tile(times(desired));
    }

    /** Repeats the array along an axis. */
    @Override
    public NDArray tile(int axis, long repeats) {
        return of(ArrayMath.repeated(data(), axis, repeats, true));
    }

    /** Repeats the array along its axes; new ones stand in front. */
    @Override
    public NDArray tile(long[] repeats) {
        long[] shape = data().shape();
        int more = Math.max(0, repeats.length - shape.length);
        long[] extended = new long[more + shape.length];
        Arrays.fill(extended, 1);
        System.arraycopy(shape, 0, extended, more, shape.length);
        ArrayData tiled = data().reshaped(extended);
        for (int i = 0; i < repeats.length; i++) {
            tiled = ArrayMath.repeated(tiled, i - repeats.length, repeats[i], true);
        }
        return of(tiled);
    }

    /** Returns the places of the elements that are not zero, one in each row. */
    @Override
    public NDArray nonzero() {
        ArrayData all = data();
        int[] found =
                IntStream.range(0, all.size()).filter(i -> all.get(i) != 0).toArray();
        ArrayData places = ArrayData.zeros(DataType.INT64, found.length, all.rank());
        for (int i = 0; i < places.size(); i++) {
            int axis = i % all.rank();
            places.set(i, found[i / all.rank()] / all.stride(axis) % all.extent(axis));
        }
        return of(places);
    }

    @Override
    public NDArray oneHot(int depth, float on, float off, DataType type) {
        ArrayData classes = data();
        long[] shape = Arrays.copyOf(classes.shape(), classes.rank() + 1);
        shape[classes.rank()] = depth;
        ArrayData made = ArrayData.zeros(type, shape);
        for (int i = 0; i < made.size(); i++) {
            made.set(i, classes.get(i / depth) == i % depth ? on : off);
        }
        return of(made);
    }
}
