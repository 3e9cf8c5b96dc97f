package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The LU decomposition of one square matrix after the other, by Gaussian elimination with partial pivoting. */
final class TriangularFactors {
    private final int n;
    /** The upper triangular factor and, below the diagonal, the lower one, whose diagonal is 1. */
    private final double[] factors;
    /** The original index of each row. */
    private final int[] order;

    private double sign;

    /** @param n the number of rows of a matrix */
    TriangularFactors(int n, Scratch scratch) {
        this.n = n;
        factors = scratch.doubles(0, n * n);
        order = scratch.ints(0, n);
    }

    /** Decomposes the matrix that begins at element {@code first}. */
    void decompose(LaunchContext launch, ElementType type, MemorySegment matrices, long first) {
        Elements.read(type, matrices, first, factors, 0, n * n);
        Arrays.setAll(order, row -> row);
        sign = 1;
        for (int step = 0; step < n && sign != 0; step++) {
            launch.checkCancelled();
            int pivot = pivot(step);
            double lead = factors[pivot * n + step];
            if (lead == 0) {
                sign = 0;
            } else if (pivot != step) {
                sign = -sign;
                swap(step, pivot);
            }
            for (int row = step + 1; row < n && sign != 0; row++) {
                double factor = factors[row * n + step] / lead;
                subtract(factor, factors, step, row, step + 1);
                factors[row * n + step] = factor;
            }
        }
    }

    private int pivot(int step) {
        int pivot = step;
        for (int row = step + 1; row < n; row++) {
            pivot = Math.abs(factors[row * n + step]) > Math.abs(factors[pivot * n + step]) ? row : pivot;
        }
        return pivot;
    }

    private void swap(int one, int other) {
        int place = order[one];
        order[one] = order[other];
        order[other] = place;
        for (int column = 0; column < n; column++) {
            double kept = factors[one * n + column];
            factors[one * n + column] = factors[other * n + column];
            factors[other * n + column] = kept;
        }
    }

    /** Subtracts a multiple of a row from another one, from a column on. */
    private void subtract(double factor, double[] matrix, int row, int from, int column) {
        for (int i = column; i < n; i++) {
            matrix[from * n + i] -= factor * matrix[row * n + i];
        }
    }

    double determinant() {
        double product = sign;
        for (int i = 0; i < n && sign != 0; i++) {
            product *= factors[i * n + i];
        }
        return product;
    }

    /** Fills {@code inverse} with the inverse of the matrix, or with NaN where it is singular. */
    void invert(LaunchContext launch, double[] inverse) {
        Arrays.fill(inverse, 0, n * n, sign == 0 ? Double.NaN : 0);
        for (int row = 0; row < n && sign != 0; row++) {
            launch.checkCancelled();
            inverse[row * n + order[row]] = 1;
            for (int above = 0; above < row; above++) {
                subtract(factors[row * n + above], inverse, above, row, 0);
            }
        }
        for (int row = n - 1; row >= 0 && sign != 0; row--) {
            launch.checkCancelled();
            for (int below = row + 1; below < n; below++) {
                subtract(factors[row * n + below], inverse, below, row, 0);
            }
            for (int column = 0; column < n; column++) {
                inverse[row * n + column] /= factors[row * n + row];
            }
        }
    }
}
