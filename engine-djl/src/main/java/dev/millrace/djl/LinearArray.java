package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.util.Arrays;
import java.util.stream.IntStream;

/** The products, running sums and repetitions of an array of DJL. */
abstract class LinearArray extends ArithmeticArray {
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
        ArrayData product = ArrayMath.matrixProduct(rows, columns, type);
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

    @Override
    public NDArray cumSum() {
        return flatten().cumSum(0);
    }

    @Override
    public NDArray cumSum(int axis) {
        DataType type = getDataType().isFloating() ? getDataType() : DataType.INT64;
        ArrayData sums = data().cast(type);
        int along = sums.axis(axis);
        int stride = sums.stride(along);
        for (int i = 0; i < sums.size(); i++) {
            if (i / stride % sums.extent(along) > 0) {
                sums.set(i, sums.get(i) + sums.get(i - stride));
            }
        }
        return of(sums);
    }

    @Override
    public NDArray prod() {
        return prod(new int[0], false);
    }

    @Override
    public NDArray prod(int[] axes, boolean keep) {
        DataType type = getDataType().isFloating() ? getDataType() : DataType.INT64;
        return of(ArrayMath.reduce(
                data(), axes, keep, type, run -> Arrays.stream(run).reduce(1, (x, y) -> x * y)));
    }

    /** Repeats each element along an axis. */
    @Override
    public NDArray repeat(int axis, long repeats) {
        return of(ArrayMath.repeated(data(), axis, repeats, false));
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

    @Override
    public NDArray isNaN() {
        return of(ArrayMath.map(data(), DataType.BOOLEAN, x -> Double.isNaN(x) ? 1 : 0));
    }

    @Override
    public NDArray isInfinite() {
        return of(ArrayMath.map(data(), DataType.BOOLEAN, x -> Double.isInfinite(x) ? 1 : 0));
    }

    @Override
    public NDArray sign() {
        return of(ArrayMath.map(data(), getDataType(), Math::signum));
    }

    @Override
    public NDArray sin() {
        return mapFloats(Math::sin);
    }

    @Override
    public NDArray cos() {
        return mapFloats(Math::cos);
    }
}
