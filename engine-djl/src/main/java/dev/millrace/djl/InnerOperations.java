package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDArrayIndexer;
import ai.djl.ndarray.types.DataType;
import java.util.List;
import java.util.stream.Stream;

/** The operations of one array that DJL's own code calls. Their names and parameters are those of {@code NDArrayEx}. */
@SuppressWarnings("unused") // called by reflection
final class InnerOperations {
    private static final int NEAREST = 0;
    private static final int BILINEAR = 1;

    private final DjlArray array;

    InnerOperations(DjlArray array) {
        this.array = array;
    }

    NDArray getArray() {
        return array;
    }

    NDArrayIndexer getIndexer(NDManager manager) {
        return new SliceIndexer();
    }

    NDArray relu() {
        return array.map(x -> Math.max(0, x));
    }

    NDArray sigmoid() {
        return array.mapFloats(x -> 1 / (1 + Math.exp(-x)));
    }

    NDArray rdiv(Number number) {
        double value = number.doubleValue();
        return array.mapFloats(x -> value / x);
    }

    NDArray rsub(Number number) {
        double value = number.doubleValue();
        return array.of(ArrayMath.map(array.data(), ArrayMath.withNumber(array.getDataType(), number), x -> value - x));
    }

    /** Returns an array of pixels with values from 0 to 1, the channels first. */
    NDArray toTensor() {
        ArrayData data = ArrayMath.map(array.data(), DataType.FLOAT32, x -> x / 255);
        return array.of(data.rank() == 4 ? data.transposed(0, 3, 1, 2) : data.transposed(2, 0, 1));
    }

    /** Normalises the channels, which are the third axis from the end. */
    NDArray normalize(float[] mean, float[] deviation) {
        ArrayData data = array.data();
        int stride = data.stride(data.axis(-3));
        int channels = data.extent(data.axis(-3));
        ArrayData result = ArrayData.zeros(ArrayMath.floating(data.type()), data.shape());
        for (int i = 0; i < data.size(); i++) {
            int channel = i / stride % channels;
            result.set(i, (data.get(i) - mean[channel]) / deviation[channel]);
        }
        return array.of(result);
    }

    /** Resizes an image, whose last axis is its channels. Corners of pixels stay corners. */
    NDArray resize(int width, int height, int interpolation) {
        if (interpolation != NEAREST && interpolation != BILINEAR) {
            throw UnsupportedOperations.failure("resize by other means than NEAREST and BILINEAR");
        }
        ArrayData data = array.data();
        int rank = data.rank();
        long[] shape = data.shape().clone();
        int oldHeight = data.extent(rank - 3);
        int oldWidth = data.extent(rank - 2);
        int channels = data.extent(rank - 1);
        shape[rank - 3] = height;
        shape[rank - 2] = width;
        ArrayData result = ArrayData.zeros(data.type(), shape);
        var rows = new Samples(oldHeight, height, interpolation == BILINEAR);
        var columns = new Samples(oldWidth, width, interpolation == BILINEAR);
        boolean rounds = !data.type().isFloating();
        for (int i = 0; i < result.size(); i++) {
            int channel = i % channels;
            int x = i / channels % width;
            int y = i / channels / width % height;
            int image = i / channels / width / height * oldHeight;
            double above = between(data, (image + rows.first[y]) * oldWidth, columns, x, channels, channel);
            double below = between(data, (image + rows.second[y]) * oldWidth, columns, x, channels, channel);
            double value = above + (below - above) * rows.weight[y];
            result.set(i, rounds ? Math.rint(value) : value);
        }
        return array.of(result);
    }

    private static double between(ArrayData data, int row, Samples columns, int x, int channels, int channel) {
        double left = data.get((row + columns.first[x]) * channels + channel);
        double right = data.get((row + columns.second[x]) * channels + channel);
        return left + (right - left) * columns.weight[x];
    }

    /** The two samples of an axis that each new sample lies between, and how near it is to the second. */
    private static final class Samples {
        final int[] first;
        final int[] second;
        final double[] weight;

        Samples(int from, int to, boolean linear) {
            first = new int[to];
            second = new int[to];
            weight = new double[to];
            for (int i = 0; i < to; i++) {
                double place = linear ? (i + 0.5) * from / to - 0.5 : Math.floor((double) i * from / to);
                double inside = Math.clamp(place, 0, from - 1);
                first[i] = (int) inside;
                second[i] = Math.min(first[i] + 1, from - 1);
                weight[i] = inside - first[i];
            }
        }
    }

    NDArray where(NDArray condition, NDArray other) {
        ArrayData chosen = ((DjlArray) condition).data();
        ArrayData otherwise = array.like(other).data();
        DataType type = ArrayMath.promoted(array.getDataType(), otherwise.type());
        long[] shape =
                ArrayMath.common(chosen.shape(), ArrayMath.common(array.data().shape(), otherwise.shape()));
        ArrayData flags = chosen.broadcast(shape);
        ArrayData yes = array.data().cast(type).broadcast(shape);
        ArrayData no = otherwise.cast(type).broadcast(shape);
        ArrayData result = ArrayData.zeros(type, shape);
        for (int i = 0; i < result.size(); i++) {
            result.copy(i, flags.get(i) == 0 ? no : yes, i);
        }
        return array.of(result);
    }

    NDArray concat(NDList others, int axis) {
        return array.of(ArrayMath.concat(all(others), axis));
    }

    NDArray stack(NDList others, int axis) {
        int counted = axis < 0 ? axis + array.data().rank() + 1 : axis;
        List<ArrayData> extended =
                all(others).stream().map(each -> extended(each, counted)).toList();
        return array.of(ArrayMath.concat(extended, counted));
    }

    private static ArrayData extended(ArrayData data, int axis) {
        long[] shape = new long[data.rank() + 1];
        for (int i = 0; i < shape.length; i++) {
            shape[i] = i == axis ? 1 : data.shape()[i < axis ? i : i - 1];
        }
        return data.reshaped(shape);
    }

    private List<ArrayData> all(NDList others) {
        return Stream.concat(
                        Stream.of(array.data()),
                        others.stream().map(each -> array.like(each).data()))
                .toList();
    }
}
