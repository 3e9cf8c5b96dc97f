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

/** Det: determinants by elimination with the largest pivot. */
final class DetKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int n = Extents.toInt("rows of a matrix", shape.dimAt(-1));
        int size = Extents.product("elements of a matrix", n, n);
        RangeTask task = (launch, from, to, scratch) -> {
            double[] matrix = scratch.doubles(0, size);
            for (long i = from; i < to; i++) {
                Elements.read(type, launch.input(0), i * size, matrix, 0, size);
                Elements.setDouble(type, launch.output(0), i, determinant(launch, matrix, n));
            }
        };
        long matrices = context.outputShape(0).elements();
        return launch -> launch.parallelFor(matrices, 16, task);
    }

    private static double determinant(LaunchContext launch, double[] matrix, int n) {
        double product = 1;
        for (int step = 0; step < n; step++) {
            launch.checkCancelled();
            int pivot = step;
            for (int row = step + 1; row < n; row++) {
                pivot = Math.abs(matrix[row * n + step]) > Math.abs(matrix[pivot * n + step]) ? row : pivot;
            }
            double lead = matrix[pivot * n + step];
            if (lead == 0) {
                return 0;
            }
            product *= pivot == step ? lead : -lead;
            for (int column = step; column < n; column++) {
                double swapped = matrix[pivot * n + column];
                matrix[pivot * n + column] = matrix[step * n + column];
                matrix[step * n + column] = swapped;
            }
            for (int row = step + 1; row < n; row++) {
                double factor = matrix[row * n + step] / lead;
                for (int column = step; column < n; column++) {
                    matrix[row * n + column] -= factor * matrix[step * n + column];
                }
            }
        }
        return product;
    }
}
