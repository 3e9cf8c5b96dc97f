package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Det: the determinants of matrices. */
final class DetKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int n = ArrayExtents.toInt("rows of a matrix", shape.dimAt(-1));
        int size = ArrayExtents.product("elements of a matrix", n, n);
        RangeTask task = (launch, from, to, scratch) -> {
            var factors = new TriangularFactors(n, scratch);
            for (long i = from; i < to; i++) {
                factors.decompose(launch, type, launch.input(0), i * size);
                Elements.setDouble(type, launch.output(0), i, factors.determinant());
            }
        };
        long matrices = context.outputShape(0).elements();
        return launch -> launch.parallelFor(matrices, 16, task);
    }
}
