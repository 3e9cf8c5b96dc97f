package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/** Arithmetic on arrays. */
final class ArrayMath {
    /** Types in the order in which a result of two arrays takes the later one. */
    private static final List<DataType> RANKS = List.of(
            DataType.BOOLEAN,
            DataType.UINT8,
            DataType.INT8,
            DataType.INT32,
            DataType.INT64,
            DataType.FLOAT16,
            DataType.FLOAT32,
            DataType.FLOAT64);

    private ArrayMath() {}

    static ArrayData map(ArrayData array, DataType type, DoubleUnaryOperator function) {
        ArrayData result = ArrayData.zeros(type, array.shape());
        for (int i = 0; i < result.size(); i++) {
            result.set(i, function.applyAsDouble(array.get(i)));
        }
        return result;
    }

    /** Combines two arrays, which are broadcast to one shape. */
    static ArrayData zip(ArrayData one, ArrayData other, DataType type, DoubleBinaryOperator function) {
        long[] shape = common(one.shape(), other.shape());
        ArrayData left = one.broadcast(shape);
        ArrayData right = other.broadcast(shape);
        ArrayData result = ArrayData.zeros(type, shape);
        for (int i = 0; i < result.size(); i++) {
            result.set(i, function.applyAsDouble(left.get(i), right.get(i)));
        }
        return result;
    }

    static long[] common(long[] one, long[] other) {
        long[] shape = new long[Math.max(one.length, other.length)];
        for (int i = 1; i <= shape.length; i++) {
            long left = i <= one.length ? one[one.length - i] : 1;
            long right = i <= other.length ? other[other.length - i] : 1;
            shape[shape.length - i] = left == 1 ? right : left;
        }
        return shape;
    }

    static DataType promoted(DataType one, DataType other) {
        return RANKS.indexOf(one) >= RANKS.indexOf(other) ? one : other;
    }

    static DataType floating(DataType type) {
        return type.isFloating() ? type : DataType.FLOAT32;
    }

    /** Returns the type of the result of an array and a number. */
    static DataType withNumber(DataType type, Number number) {
        return number instanceof Float || number instanceof Double ? floating(type) : type;
    }

    /** Reduces some axes to one number each; no axes are all of them. */
    static ArrayData reduce(
            ArrayData array, int[] axes, boolean keep, DataType type, ToDoubleFunction<double[]> function) {
        int[] all = axes.length == 0
                ? IntStream.range(0, array.rank()).toArray()
                : Arrays.stream(axes).map(array::axis).distinct().toArray();
        int[] others = IntStream.range(0, array.rank())
                .filter(axis -> Arrays.stream(all).noneMatch(each -> each == axis))
                .toArray();
        ArrayData ordered = array.transposed(
                IntStream.concat(Arrays.stream(others), Arrays.stream(all)).toArray());
        int length = Arrays.stream(all).map(array::extent).reduce(1, Math::multiplyExact);
        long[] rest = Arrays.stream(others).mapToLong(array::extent).toArray();
        ArrayData result = ArrayData.zeros(type, rest);
        double[] run = new double[length];
        for (int i = 0; i < result.size(); i++) {
            for (int j = 0; j < length; j++) {
                run[j] = ordered.get(i * length + j);
            }
            result.set(i, function.applyAsDouble(run));
        }
        if (!keep) {
            return result;
        }
        long[] kept = array.shape().clone();
        Arrays.stream(all).forEach(axis -> kept[axis] = 1);
        return result.reshaped(kept);
    }

    static double max(double[] run) {
        return Arrays.stream(run).max().orElseThrow();
    }

    static double min(double[] run) {
        return Arrays.stream(run).min().orElseThrow();
    }

    static double sum(double[] run) {
        double sum = 0;
        for (double each : run) {
            sum += each;
        }
        return sum;
    }

    static double mean(double[] run) {
        return sum(run) / run.length;
    }

    static double argMax(double[] run) {
        int best = 0;
        for (int i = 1; i < run.length; i++) {
            best = run[i] > run[best] ? i : best;
        }
        return best;
    }

    static double norm(double[] run, double order) {
        double sum = 0;
        for (double each : run) {
            sum += Math.pow(Math.abs(each), order);
        }
        return Math.pow(sum, 1 / order);
    }

    /** Returns the softmax along an axis, or its logarithm. */
    static ArrayData softmax(ArrayData array, int axis, boolean log) {
        DataType type = floating(array.type());
        int[] along = {axis};
        ArrayData most = reduce(array, along, true, DataType.FLOAT64, ArrayMath::max);
        ArrayData shifted = zip(array, most, DataType.FLOAT64, (x, max) -> x - max);
        ArrayData sums =
                reduce(map(shifted, DataType.FLOAT64, Math::exp), along, true, DataType.FLOAT64, ArrayMath::sum);
        return log
                ? zip(shifted, sums, type, (x, sum) -> x - Math.log(sum))
                : zip(shifted, sums, type, (x, sum) -> Math.exp(x) / sum);
    }

    /** Returns the places of the elements along an axis in their order; equal ones keep theirs. */
    static ArrayData argSort(ArrayData array, int axis, boolean ascending) {
        int along = array.axis(axis);
        int stride = array.stride(along);
        int extent = array.extent(along);
        ArrayData result = ArrayData.zeros(DataType.INT64, array.shape());
        for (int i = 0; i < array.size(); i++) {
            if (i / stride % extent != 0) {
                continue;
            }
            int start = i;
            int sign = ascending ? 1 : -1;
            int[] order = IntStream.range(0, extent)
                    .boxed()
                    .sorted((a, b) ->
                            sign * Double.compare(array.get(start + a * stride), array.get(start + b * stride)))
                    .mapToInt(Integer::intValue)
                    .toArray();
            for (int j = 0; j < extent; j++) {
                result.set(start + j * stride, order[j]);
            }
        }
        return result;
    }

    /** Returns the elements at places along an axis; the places have the shape of the result. */
    static ArrayData gather(ArrayData array, ArrayData places, int axis) {
        int along = array.axis(axis);
        int[] strides = IntStream.range(0, array.rank()).map(array::stride).toArray();
        int stride = strides[along];
        strides[along] = 0;
        return array.moved(places.shape(), index -> {
            int place = (int) places.get(index);
            int counted = place < 0 ? place + array.extent(along) : place;
            if (counted < 0 || counted >= array.extent(along)) {
                throw new IndexOutOfBoundsException(
                        "axis " + along + " of extent " + array.extent(along) + " has no element " + place);
            }
            return ArrayData.place(index, places.shape(), strides) + counted * stride;
        });
    }

    /** Multiplies matrices, which are the last two axes; the axes before are broadcast. */
    static ArrayData matrixProduct(ArrayData left, ArrayData right, DataType type) {
        int rows = left.extent(left.rank() - 2);
        int inner = left.extent(left.rank() - 1);
        int columns = right.extent(right.rank() - 1);
        if (inner != right.extent(right.rank() - 2)) {
            throw new IllegalArgumentException("matrices of " + Arrays.toString(left.shape()) + " and "
                    + Arrays.toString(right.shape()) + " have no product");
        }
        long[] batch =
                common(Arrays.copyOf(left.shape(), left.rank() - 2), Arrays.copyOf(right.shape(), right.rank() - 2));
        ArrayData ones = left.broadcast(matrices(batch, rows, inner));
        ArrayData others = right.broadcast(matrices(batch, inner, columns));
        ArrayData product = ArrayData.zeros(type, matrices(batch, rows, columns));
        for (int i = 0; i < product.size(); i++) {
            int row = i / columns;
            int matrix = row / rows * inner;
            double sum = 0;
            for (int k = 0; k < inner; k++) {
                sum += ones.get(row * inner + k) * others.get((matrix + k) * columns + i % columns);
            }
            product.set(i, sum);
        }
        return product;
    }

    private static long[] matrices(long[] batch, int rows, int columns) {
        long[] shape = Arrays.copyOf(batch, batch.length + 2);
        shape[batch.length] = rows;
        shape[batch.length + 1] = columns;
        return shape;
    }

    /**
     * Repeats elements along an axis.
     *
     * @param whole whether all elements follow each other before they are repeated; otherwise each is followed by its repetitions
     */
    static ArrayData repeated(ArrayData array, int axis, long repeats, boolean whole) {
        if (repeats < 0) {
            throw new IllegalArgumentException("an array cannot be repeated " + repeats + " times");
        }
        int along = array.axis(axis);
        int stride = array.stride(along);
        int extent = array.extent(along);
        long[] shape = array.shape().clone();
        shape[along] = Math.multiplyExact(shape[along], repeats);
        int wide = Math.toIntExact(shape[along]);
        return array.moved(shape, index -> {
            int place = index / stride % wide;
            int from = whole ? place % extent : (int) (place / repeats);
            return index / stride / wide * extent * stride + from * stride + index % stride;
        });
    }

    /** Joins arrays of one type along an axis. */
    static ArrayData concat(List<ArrayData> arrays, int axis) {
        ArrayData first = arrays.getFirst();
        int along = first.axis(axis);
        long[] shape = first.shape().clone();
        shape[along] = arrays.stream().mapToLong(each -> each.shape()[along]).sum();
        ArrayData result = ArrayData.zeros(first.type(), shape);
        int inner = first.stride(along);
        int offset = 0;
        for (ArrayData each : arrays) {
            long[] expected = each.shape().clone();
            expected[along] = shape[along];
            if (each.type() != first.type() || !Arrays.equals(expected, shape)) {
                throw new IllegalArgumentException("arrays of different types or shapes cannot be joined");
            }
            int block = each.extent(along) * inner;
            for (int i = 0; i < each.size(); i++) {
                result.copy(i / block * (int) shape[along] * inner + offset + i % block, each, i);
            }
            offset += block;
        }
        return result;
    }
}
