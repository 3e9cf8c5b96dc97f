package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Inverse: the inverses of matrices, without a finite number where there is none. */
final class InverseKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int n = ArrayExtents.toInt("rows of a matrix", shape.dimAt(-1));
        int size = ArrayExtents.product("elements of a matrix", n, n);
        RangeTask task = (launch, from, to, scratch) -> {
            var factors = new TriangularFactors(n, scratch);
            double[] inverse = scratch.doubles(1, size);
            for (long i = from; i < to; i++) {
                factors.decompose(launch, type, launch.input(0), i * size);
                factors.invert(launch, inverse);
                Elements.write(type, launch.output(0), i * size, inverse, 0, size);
            }
        };
        long matrices = size == 0 ? 0 : shape.elements() / size;
        return launch -> launch.parallelFor(matrices, 16, task);
    }
}
