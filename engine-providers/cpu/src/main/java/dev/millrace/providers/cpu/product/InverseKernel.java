package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;

/** Inverse: what turns each matrix into the identity, turns the identity into its inverse. */
final class InverseKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int n = Extents.toInt("rows of a matrix", shape.dimAt(-1));
        int size = Extents.product("elements of a matrix", n, n);
        RangeTask task = (launch, from, to, scratch) -> {
            double[] matrix = scratch.doubles(0, size);
            double[] inverse = scratch.doubles(1, size);
            for (long i = from; i < to; i++) {
                Elements.read(type, launch.input(0), i * size, matrix, 0, size);
                invert(launch, matrix, inverse, n);
                Elements.write(type, launch.output(0), i * size, inverse, 0, size);
            }
        };
        long matrices = size == 0 ? 0 : shape.elements() / size;
        return launch -> launch.parallelFor(matrices, 16, task);
    }

    /** Leaves no finite number in the inverse of a matrix that has none. */
    private static void invert(LaunchContext launch, double[] matrix, double[] inverse, int n) {
        Arrays.fill(inverse, 0, n * n, 0);
        for (int i = 0; i < n; i++) {
            inverse[i * n + i] = 1;
        }
        for (int step = 0; step < n; step++) {
            launch.checkCancelled();
            int pivot = step;
            for (int row = step + 1; row < n; row++) {
                pivot = Math.abs(matrix[row * n + step]) > Math.abs(matrix[pivot * n + step]) ? row : pivot;
            }
            swap(matrix, step, pivot, n);
            swap(inverse, step, pivot, n);
            double lead = matrix[step * n + step];
            for (int column = 0; column < n; column++) {
                matrix[step * n + column] /= lead;
                inverse[step * n + column] /= lead;
            }
            for (int row = 0; row < n; row++) {
                double factor = matrix[row * n + step];
                for (int column = 0; row != step && column < n; column++) {
                    matrix[row * n + column] -= factor * matrix[step * n + column];
                    inverse[row * n + column] -= factor * inverse[step * n + column];
                }
            }
        }
    }

    private static void swap(double[] matrix, int one, int other, int n) {
        for (int column = 0; one != other && column < n; column++) {
            double kept = matrix[one * n + column];
            matrix[one * n + column] = matrix[other * n + column];
            matrix[other * n + column] = kept;
        }
    }
}
