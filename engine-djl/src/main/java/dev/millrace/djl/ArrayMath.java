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
            DataType.UINT16,
            DataType.INT16,
            DataType.UINT32,
            DataType.INT32,
            DataType.INT64,
            DataType.BFLOAT16,
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

    /** Returns the array with one more axis of extent 1. */
    static ArrayData extended(ArrayData data, int axis) {
        if (axis < 0 || axis > data.rank()) {
            throw new IllegalArgumentException("an array of rank " + data.rank() + " takes no new axis " + axis);
        }
        long[] shape = new long[data.rank() + 1];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = i == axis ? 1 : data.shape()[i < axis ? i : i - 1];
        }
        return data.reshaped(shape);
    }

    /** Returns the array with at most {@code rank} axes, if the axes in front of them have an extent of 1. */
    static ArrayData withoutLeadingOnes(ArrayData data, int rank) {
        int more = Math.max(0, data.rank() - rank);
        boolean areOnes = Arrays.stream(data.shape()).limit(more).allMatch(extent -> extent == 1);
        return areOnes ? data.reshaped(Arrays.copyOfRange(data.shape(), more, data.rank())) : data;
    }

    /** Returns the narrowest type that has the elements of both, or the type of fractions if one has them. */
    static DataType promoted(DataType one, DataType other) {
        DataType later = RANKS.indexOf(one) >= RANKS.indexOf(other) ? one : other;
        DataType earlier = later == one ? other : one;
        if (later == DataType.FLOAT16 && earlier == DataType.BFLOAT16) {
            return DataType.FLOAT32;
        }
        boolean areWhole = !later.isFloating() && earlier != DataType.BOOLEAN;
        boolean areMixed = isUnsigned(later) ? !isUnsigned(earlier) : isUnsigned(earlier) && sameWidth(one, other);
        return areWhole && areMixed ? twiceAsWide(later) : later;
    }

    private static boolean sameWidth(DataType one, DataType other) {
        return one.getNumOfBytes() == other.getNumOfBytes();
    }

    private static DataType twiceAsWide(DataType whole) {
        return switch (whole.getNumOfBytes()) {
            case 1 -> DataType.INT16;
            case 2 -> DataType.INT32;
            default -> DataType.INT64;
        };
    }

    static boolean isUnsigned(DataType type) {
        return type == DataType.UINT8 || type == DataType.UINT16 || type == DataType.UINT32;
    }

    static DataType floating(DataType type) {
        return type.isFloating() ? type : DataType.FLOAT32;
    }

    /** Returns the type of the result of an array and a number. */
    static DataType withNumber(DataType type, Number number) {
        if (number instanceof Float || number instanceof Double) {
            return floating(type);
        }
        return type == DataType.BOOLEAN ? number instanceof Long ? DataType.INT64 : DataType.INT32 : type;
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
        requireElements(run);
        double max = run[0];
        for (double each : run) {
            max = Math.max(max, each);
        }
        return max;
    }

    static double min(double[] run) {
        requireElements(run);
        double min = run[0];
        for (double each : run) {
            min = Math.min(min, each);
        }
        return min;
    }

    private static void requireElements(double[] run) {
        if (run.length == 0) {
            throw new IllegalArgumentException("no elements have no largest, least or middle one");
        }
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
        requireElements(run);
        int best = 0;
        for (int i = 1; i < run.length && !Double.isNaN(run[best]); i++) {
            best = run[i] <= run[best] ? best : i;
        }
        return best;
    }

    static double argMin(double[] run) {
        requireElements(run);
        int best = 0;
        for (int i = 1; i < run.length && !Double.isNaN(run[best]); i++) {
            best = run[i] >= run[best] ? best : i;
        }
        return best;
    }

    static double median(double[] run) {
        double[] sorted = sorted(run);
        return Double.isNaN(sorted[run.length - 1]) ? Double.NaN : sorted[(run.length - 1) / 2];
    }

    /** Returns the value below which a part of the elements lies, between two of them if need be. */
    static double quantile(double[] run, double part) {
        double[] sorted = sorted(run);
        double place = part * (run.length - 1);
        double low = sorted[(int) place];
        double high = sorted[(int) Math.ceil(place)];
        return Double.isNaN(sorted[run.length - 1]) ? Double.NaN : low + (high - low) * (place - (int) place);
    }

    private static double[] sorted(double[] run) {
        requireElements(run);
        double[] sorted = run.clone();
        Arrays.sort(sorted);
        return sorted;
    }

    /** Returns the norm of an order, which is the number of elements other than zero for the order 0. */
    static double norm(double[] run, double order) {
        double sum = 0;
        for (double each : run) {
            if (order == 2) {
                sum += each * each;
            } else if (order != 0) {
                sum += Math.pow(Math.abs(each), order);
            } else if (each != 0) {
                sum++;
            }
        }
        return order == 2 ? Math.sqrt(sum) : order == 0 ? sum : Math.pow(sum, 1 / order);
    }

    /** Returns the softmax along an axis, or its logarithm. */
    static ArrayData softmax(ArrayData array, int axis, boolean log) {
        int along = array.axis(axis);
        int stride = array.stride(along);
        double[] line = new double[array.extent(along)];
        ArrayData result = ArrayData.zeros(floating(array.type()), array.shape());
        for (int i = 0; i < array.size() / Math.max(1, line.length); i++) {
            int start = i / stride * line.length * stride + i % stride;
            for (int j = 0; j < line.length; j++) {
                line[j] = array.get(start + j * stride);
            }
            softmax(line, log);
            for (int j = 0; j < line.length; j++) {
                result.set(start + j * stride, line[j]);
            }
        }
        return result;
    }

    private static void softmax(double[] line, boolean log) {
        double max = max(line);
        double sum = 0;
        for (int i = 0; i < line.length; i++) {
            line[i] -= max;
            double power = Math.exp(line[i]);
            line[i] = log ? line[i] : power;
            sum += power;
        }
        double logarithm = Math.log(sum);
        for (int i = 0; i < line.length; i++) {
            line[i] = log ? line[i] - logarithm : line[i] / sum;
        }
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
            int[] order = MergeSort.order(
                    extent,
                    (one, other) -> ascending
                            ? array.compare(start + one * stride, start + other * stride)
                            : array.compare(start + other * stride, start + one * stride));
            for (int j = 0; j < extent; j++) {
                result.set(start + j * stride, order[j]);
            }
        }
        return result;
    }

    /** Returns the elements at places along an axis; the places have the shape of the result. */
    static ArrayData gather(ArrayData array, ArrayData places, int axis) {
        int[] sources = placesAlong(array, places, axis);
        return array.moved(places.shape(), index -> sources[index]);
    }

    /** Returns the places in the whole array of places along an axis; places along the other axes are those in their array. */
    static int[] placesAlong(ArrayData array, ArrayData places, int axis) {
        int along = array.axis(axis);
        boolean fits = places.rank() == array.rank()
                && IntStream.range(0, array.rank()).allMatch(i -> i == along || places.extent(i) <= array.extent(i));
        if (!fits) {
            throw new IllegalArgumentException("places of the shape " + Arrays.toString(places.shape())
                    + " do not fit an array of the shape " + Arrays.toString(array.shape()) + " along axis " + along);
        }
        int[] strides = IntStream.range(0, array.rank()).map(array::stride).toArray();
        int stride = strides[along];
        strides[along] = 0;
        return IntStream.range(0, places.size())
                .map(index -> ArrayData.place(index, places.shape(), strides)
                        + inside((long) places.get(index), array.extent(along)) * stride)
                .toArray();
    }

    /** Returns a place along an axis that may be counted from its end, as one from the beginning. */
    static int inside(long place, int extent) {
        long counted = place < 0 ? place + extent : place;
        if (counted < 0 || counted >= extent) {
            throw new IndexOutOfBoundsException("an axis of extent " + extent + " has no place " + place);
        }
        return (int) counted;
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

    /** Joins arrays along an axis. Those of other types are converted to the type of a sum. */
    static ArrayData concat(List<ArrayData> given, int axis) {
        DataType type =
                given.stream().map(ArrayData::type).reduce(ArrayMath::promoted).orElseThrow();
        List<ArrayData> arrays = given.stream()
                .map(each -> each.type() == type ? each : each.cast(type))
                .toList();
        ArrayData first = arrays.getFirst();
        int along = first.axis(axis);
        long[] shape = first.shape().clone();
        shape[along] = arrays.stream()
                .filter(each -> each.rank() == first.rank())
                .mapToLong(each -> each.shape()[along])
                .sum();
        ArrayData result = ArrayData.zeros(first.type(), shape);
        int inner = first.stride(along);
        int offset = 0;
        for (ArrayData each : arrays) {
            long[] expected = each.shape().clone();
            if (each.rank() == first.rank()) {
                expected[along] = shape[along];
            }
            if (!Arrays.equals(expected, shape)) {
                throw new IllegalArgumentException("arrays of the shapes " + Arrays.toString(first.shape()) + " and "
                        + Arrays.toString(each.shape()) + " cannot be joined along axis " + along);
            }
            int block = each.extent(along) * inner;
            for (int i = 0; block > 0 && i < each.size() / block; i++) {
                result.copy(i * (int) shape[along] * inner + offset, each, i * block, 1, block);
            }
            offset += block;
        }
        return result;
    }
}
