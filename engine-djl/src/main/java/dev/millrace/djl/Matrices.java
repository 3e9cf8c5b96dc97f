package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Matrices, which are the last two axes of arrays. */
final class Matrices {
    private Matrices() {}

    /** Multiplies matrices, which are the last two axes; the axes before are broadcast. */
    static ArrayData product(ArrayData left, ArrayData right, DataType type) {
        int rows = left.extent(left.rank() - 2);
        int inner = left.extent(left.rank() - 1);
        int columns = right.extent(right.rank() - 1);
        if (inner != right.extent(right.rank() - 2)) {
            throw new IllegalArgumentException("matrices of " + Arrays.toString(left.shape()) + " and "
                    + Arrays.toString(right.shape()) + " have no product");
        }
        long[] batch = ArrayMath.common(
                Arrays.copyOf(left.shape(), left.rank() - 2), Arrays.copyOf(right.shape(), right.rank() - 2));
        ArrayData ones = left.broadcast(matrices(batch, rows, inner));
        ArrayData others = right.broadcast(matrices(batch, inner, columns));
        ArrayData product = ArrayData.zeros(type, matrices(batch, rows, columns));
        double[] matrix = new double[inner * columns];
        double[] sums = new double[columns];
        for (int row = 0; columns > 0 && row < product.size() / columns; row++) {
            for (int i = 0; row % rows == 0 && i < matrix.length; i++) {
                matrix[i] = others.get(row / rows * matrix.length + i);
            }
            Arrays.fill(sums, 0);
            for (int k = 0; k < inner; k++) {
                double factor = ones.get(row * inner + k);
                for (int column = 0; column < columns; column++) {
                    sums[column] += factor * matrix[k * columns + column];
                }
            }
            for (int column = 0; column < columns; column++) {
                product.set(row * columns + column, sums[column]);
            }
        }
        return product;
    }

    private static long[] matrices(long[] batch, int rows, int columns) {
        long[] shape = Arrays.copyOf(batch, batch.length + 2);
        shape[batch.length] = rows;
        shape[batch.length + 1] = columns;
        return shape;
    }

    /** Returns the inverses, by the elimination of Gauss and Jordan with the largest pivots. */
    static ArrayData inverse(ArrayData array) {
        int size = array.rank() < 2 ? -1 : array.extent(array.rank() - 1);
        if (array.rank() < 2 || size != array.extent(array.rank() - 2)) {
            throw new IllegalArgumentException(
                    "an array of the shape " + Arrays.toString(array.shape()) + " has no square matrices");
        }
        ArrayData result = ArrayData.zeros(ArrayMath.floating(array.type()), array.shape());
        for (int first = 0; first < array.size(); first += size * size) {
            double[][] rows = new double[size][2 * size];
            for (int i = 0; i < size * size; i++) {
                rows[i / size][i % size] = array.get(first + i);
                rows[i / size][size + i % size] = i / size == i % size ? 1 : 0;
            }
            eliminate(rows);
            for (int i = 0; i < size * size; i++) {
                result.set(first + i, rows[i / size][size + i % size]);
            }
        }
        return result;
    }

    private static void eliminate(double[][] rows) {
        for (int step = 0; step < rows.length; step++) {
            int column = step;
            int largest = IntStream.range(step, rows.length)
                    .reduce((a, b) -> Math.abs(rows[a][column]) >= Math.abs(rows[b][column]) ? a : b)
                    .orElseThrow();
            double[] pivot = rows[largest];
            rows[largest] = rows[step];
            rows[step] = pivot;
            double value = pivot[column];
            if (value == 0) {
                throw new IllegalArgumentException("a singular matrix has no inverse");
            }
            for (int i = column; i < pivot.length; i++) {
                pivot[i] /= value;
            }
            for (double[] row : rows) {
                double factor = row[column];
                for (int i = column; row != pivot && i < pivot.length; i++) {
                    row[i] -= factor * pivot[i];
                }
            }
        }
    }
}
