package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Quantises matrices, several columns at a time on each thread. The result does not depend on the number of threads. */
final class MatrixQuantizer {
    private static final int MOST_OF_INT8 = 127;

    private final QuantizeOptions options;
    private final TensorStore store;
    private final Workers workers;

    MatrixQuantizer(QuantizeOptions options, TensorStore store, Workers workers) {
        this.options = options;
        this.store = store;
        this.workers = workers;
    }

    /** Errors and powers of the strips of a matrix, summed in the order of the strips. */
    private record Sums(double[] errors, double[] powers) {
        static Sums of(int strips) {
            return new Sums(new double[strips], new double[strips]);
        }

        void add(int strip, double error, double power) {
            errors[strip] += error;
            powers[strip] += power;
        }

        double relative() {
            double error = Arrays.stream(errors).sum();
            double power = Arrays.stream(powers).sum();
            return power == 0 ? Math.sqrt(error) : Math.sqrt(Math.max(0, error) / power);
        }
    }

    /**
     * Quantises blocks of each column, packed as MatMulNBits expects it, or as GatherBlockQuantized does, whose last
     * block has no padding.
     */
    QuantisedWeight blocks(WeightMatrix matrix, boolean padded) {
        int bits = options.bits();
        int size = options.blockSize();
        int rows = matrix.rows();
        long columns = matrix.columns();
        int blocks = Math.ceilDiv(rows, size);
        int bytes = size * bits / 8;
        ElementType scaleType =
                options.fp16Scales() ? ElementType.FLOAT16 : matrix.tensor().type();
        int rowBytes = padded ? blocks * bytes : Math.ceilDiv(rows * bits, 8);
        Tensor data = store.allocate(
                ElementType.UINT8, padded ? Shape.of(columns, blocks, bytes) : Shape.of(columns, rowBytes));
        Tensor scales = store.allocate(scaleType, Shape.of(columns, blocks));
        int zeroBytes = Math.ceilDiv(blocks * bits, 8);
        Tensor zeros = options.symmetric() ? null : store.allocate(ElementType.UINT8, Shape.of(columns, zeroBytes));
        var sums = Sums.of(matrix.strips());
        workers.forEach(matrix.strips(), strip -> {
            int width = matrix.stripWidth();
            int first = strip * width;
            int count = Math.min(width, matrix.columns() - first);
            float[] weights = new float[count * rows];
            matrix.read(first, count, weights);
            var rounding = new BlockRounding(options, scaleType);
            byte[] codes = new byte[blocks * bytes];
            float[] steps = new float[blocks];
            byte[] points = new byte[zeroBytes];
            for (int column = 0; column < count; column++) {
                Arrays.fill(codes, (byte) 0);
                Arrays.fill(points, (byte) 0);
                for (int block = 0; block < blocks; block++) {
                    int from = block * size;
                    int length = Math.min(size, rows - from);
                    rounding.round(weights, column * rows + from, length);
                    sums.add(strip, rounding.error(), rounding.power());
                    steps[block] = rounding.scale();
                    put(points, block, rounding.zero());
                    for (int i = 0; i < size; i++) {
                        put(codes, from + i, i < length ? rounding.code(i) : rounding.zero());
                    }
                }
                long at = first + column;
                copy(codes, rowBytes, data, at);
                Elements.write(scaleType, scales.segment(), at * blocks, steps, 0, blocks);
                copy(points, zeroBytes, zeros, at);
            }
        });
        return new QuantisedWeight(
                store.keep(data), store.keep(scales), zeros == null ? null : store.keep(zeros), sums.relative());
    }

    private static void copy(byte[] row, int length, @Nullable Tensor to, long at) {
        if (to != null) {
            MemorySegment.copy(row, 0, to.segment(), ByteLayouts.BYTE, at * length, length);
        }
    }

    /** Stores a code; the first of two in a byte has the low bits. */
    private void put(byte[] packed, int index, int code) {
        if (options.bits() == 8) {
            packed[index] = (byte) code;
        } else {
            packed[index / 2] |= (byte) (code << index % 2 * 4);
        }
    }

    /** Quantises each column to int8 with a scale of its own, packed row by row as MatMulInteger expects it. */
    QuantisedWeight columns(WeightMatrix matrix) {
        int rows = matrix.rows();
        int columns = matrix.columns();
        Tensor data = store.allocate(ElementType.INT8, Shape.of(rows, columns));
        Tensor scales = store.allocate(ElementType.FLOAT, Shape.of(columns));
        var sums = Sums.of(matrix.strips());
        workers.forEach(matrix.strips(), strip -> {
            int width = matrix.stripWidth();
            int first = strip * width;
            int count = Math.min(width, columns - first);
            float[] weights = new float[count * rows];
            matrix.read(first, count, weights);
            float[] steps = new float[count];
            for (int column = 0; column < count; column++) {
                steps[column] = round(weights, column * rows, rows, sums, strip);
            }
            Elements.write(ElementType.FLOAT, scales.segment(), first, steps, 0, count);
            byte[] row = new byte[count];
            for (int i = 0; i < rows; i++) {
                for (int column = 0; column < count; column++) {
                    row[column] = (byte) weights[column * rows + i];
                }
                MemorySegment.copy(row, 0, data.segment(), ByteLayouts.BYTE, (long) i * columns + first, count);
            }
        });
        return new QuantisedWeight(store.keep(data), store.keep(scales), null, sums.relative());
    }

    /** Replaces weights by their codes and returns their scale. */
    private static float round(float[] weights, int from, int count, Sums sums, int strip) {
        float most = 0;
        double power = 0;
        for (int i = from; i < from + count; i++) {
            most = Math.max(most, Math.abs(weights[i]));
            power += (double) weights[i] * weights[i];
        }
        float step = most / MOST_OF_INT8;
        float perStep = step < Float.MIN_NORMAL ? 0 : 1 / step;
        double error = 0;
        for (int i = from; i < from + count; i++) {
            float code = (float) Math.rint(weights[i] * perStep);
            double difference = weights[i] - (double) step * code;
            error += difference * difference;
            weights[i] = code;
        }
        sums.add(strip, error, power);
        return step;
    }
}
