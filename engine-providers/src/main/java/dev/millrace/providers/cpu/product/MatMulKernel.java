package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.elementwise.Domain;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** MatMul, on every arithmetic type. */
final class MatMulKernel implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        MatrixBatches shape = MatrixBatches.of(context.inputShape(0), context.inputShape(1));
        if (Domain.of(type) != Domain.FLOAT) {
            RangeTask task = type.isFloating() ? PlainProduct.doubles(shape, type) : PlainProduct.longs(shape, type);
            long items = (long) shape.batches() * shape.rows();
            return launch -> launch.parallelFor(items, 8, task);
        }
        Matrix left = Matrix.rows(type, shape.depth());
        Matrix right = Matrix.rows(type, shape.columns());
        return new Product(
                shape.batches(),
                shape.rows(),
                shape.depth(),
                shape.columns(),
                context.parallelism(),
                (launch, batch, row, rows, at, depth, to, stride, scratch) ->
                        left.read(launch.input(0), shape.left((int) batch), row, rows, at, depth, to, stride, scratch),
                (launch, batch, at, depth, column, columns, to, scratch) -> right.read(
                        launch.input(1), shape.right((int) batch), at, depth, column, columns, to, scratch),
                (launch, batch, row, column, columns, sums, scratch) -> Elements.write(
                        type,
                        launch.output(0),
                        (batch * shape.rows() + row) * shape.columns() + column,
                        sums,
                        0,
                        columns));
    }
}
