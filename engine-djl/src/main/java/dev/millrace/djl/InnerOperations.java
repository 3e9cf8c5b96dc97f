package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDArrayIndexer;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The operations of one array that DJL's own code calls. Their names and parameters are those of {@code NDArrayEx}. */
@SuppressWarnings("unused") // called by reflection
final class InnerOperations {
    private static final double SELU_SCALE = 1.0507009873554805;
    private static final double SELU_ALPHA = 1.6732632423543772;

    private final DjlArray array;

    InnerOperations(DjlArray array) {
        this.array = array;
    }

    NDArray getArray() {
        return array;
    }

    NDArrayIndexer getIndexer(NDManager manager) {
        return new DjlIndexer((DjlManager) manager);
    }

    NDArray relu() {
        return array.map(x -> Math.max(0, x));
    }

    NDArray sigmoid() {
        return array.mapFloats(x -> 1 / (1 + Math.exp(-x)));
    }

    NDArray tanh() {
        return array.tanh();
    }

    NDArray softPlus() {
        return array.mapFloats(x -> Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x))));
    }

    NDArray softSign() {
        return array.mapFloats(x -> x / (1 + Math.abs(x)));
    }

    NDArray leakyRelu(float slope) {
        return array.mapFloats(x -> x < 0 ? slope * x : x);
    }

    NDArray elu(float alpha) {
        return array.mapFloats(x -> x < 0 ? alpha * Math.expm1(x) : x);
    }

    NDArray selu() {
        return array.mapFloats(x -> SELU_SCALE * (x < 0 ? SELU_ALPHA * Math.expm1(x) : x));
    }

    NDArray gelu() {
        return array.mapFloats(x -> x / 2 * (1 + SpecialFunctions.erf(x / Math.sqrt(2))));
    }

    NDArray mish() {
        return softPlus().tanh().mul(array);
    }

    NDArray rdivi(NDArray numerators) {
        return array.replaced(numerators.div(array));
    }

    NDArray rsubi(Number number) {
        return array.replaced(rsub(number));
    }

    NDArray rsubi(NDArray minuends) {
        return array.replaced(minuends.sub(array));
    }

    NDArray rmodi(NDArray dividends) {
        return array.replaced(dividends.mod(array));
    }

    NDArray rpow(Number base) {
        double value = base.doubleValue();
        return array.of(
                ArrayMath.map(array.data(), ArrayMath.withNumber(array.getDataType(), base), x -> Math.pow(value, x)));
    }

    NDArray rpowi(Number base) {
        return array.replaced(rpow(base));
    }

    /** Multiplies rows of an array by the rows of weights, and adds a bias if there is one. */
    NDList linear(NDArray input, NDArray weight, @Nullable NDArray bias) {
        NDArray product = array.like(input).matMul(weight.transpose());
        return new NDList(bias == null ? product : product.add(bias));
    }

    /** Normalises the last axes to a mean of zero and a variance of one, then scales and shifts them. */
    NDList layerNorm(NDArray input, Shape normalised, @Nullable NDArray gamma, @Nullable NDArray beta, float epsilon) {
        DjlArray own = array.like(input);
        int[] axes = IntStream.range(-normalised.dimension(), 0).toArray();
        NDArray centred = own.sub(own.mean(axes, true));
        NDArray normal =
                centred.div(centred.square().mean(axes, true).add(epsilon).sqrt());
        NDArray scaled = gamma == null ? normal : normal.mul(gamma);
        return new NDList(beta == null ? scaled : scaled.add(beta));
    }

    /** Returns the rows of a table at places. */
    NDList embedding(NDArray places, NDArray table, SparseFormat format) {
        return new NDList(table.get(new NDIndex().addIndices("{}", places)));
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
        ArrayData data = array.data();
        if (data.rank() != 3 && data.rank() != 4) {
            throw new IllegalArgumentException("an image has three axes, or four in a batch, not " + array.getShape());
        }
        int first = data.rank() - 3;
        long[] shape = data.shape().clone();
        shape[first] = data.extent(first + 2);
        shape[first + 1] = data.extent(first);
        shape[first + 2] = data.extent(first + 1);
        int channels = data.extent(first + 2);
        int pixels = data.extent(first) * data.extent(first + 1);
        ArrayData result = ArrayData.zeros(DataType.FLOAT32, shape);
        for (int plane = 0; pixels > 0 && plane < data.size() / pixels; plane++) {
            int from = plane / channels * channels * pixels + plane % channels;
            for (int i = 0; i < pixels; i++) {
                result.set(plane * pixels + i, data.get(from + i * channels) / 255);
            }
        }
        return array.of(result);
    }

    /** Normalises the channels, which are the third axis from the end. */
    NDArray normalize(float[] mean, float[] deviation) {
        ArrayData data = array.data();
        int stride = data.stride(data.axis(-3));
        int channels = data.extent(data.axis(-3));
        if (mean.length != channels || deviation.length != channels) {
            throw new IllegalArgumentException(mean.length + " means and " + deviation.length
                    + " deviations do not fit the " + channels + " channels of " + array.getShape());
        }
        ArrayData result = ArrayData.zeros(ArrayMath.floating(data.type()), data.shape());
        int size = data.size();
        for (int i = 0; i < size; i += stride) {
            int channel = i / stride % channels;
            for (int j = i; j < i + stride; j++) {
                result.set(j, (data.get(j) - mean[channel]) / deviation[channel]);
            }
        }
        return array.of(result);
    }

    /** Resizes an image, whose last axis is its channels. */
    NDArray resize(int width, int height, int interpolation) {
        ArrayData data = array.data();
        return array.of(AxisFilter.of(interpolation).resize(data, data.axis(-3), height, data.axis(-2), width));
    }

    /** Resizes the last two axes. */
    NDArray interpolation(long[] size, int interpolation, boolean alignsCorners) {
        if (alignsCorners) {
            throw UnsupportedOperations.failure("interpolation with aligned corners");
        }
        ArrayData data = array.data();
        int height = Math.toIntExact(size[0]);
        int width = Math.toIntExact(size[1]);
        return array.of(AxisFilter.of(interpolation).resize(data, data.axis(-2), height, data.axis(-1), width));
    }

    NDArray where(NDArray condition, NDArray other) {
        ArrayData chosen = array.like(condition).data();
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
        List<ArrayData> extended = all(others).stream()
                .map(each -> ArrayMath.extended(each, counted))
                .toList();
        return array.of(ArrayMath.concat(extended, counted));
    }

    private List<ArrayData> all(NDList others) {
        return Stream.concat(
                        Stream.of(array.data()),
                        others.stream().map(each -> array.like(each).data()))
                .toList();
    }
}
