package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Domain;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** MatMul, on every arithmetic type; FusedMatMul, on floating types, which also transposes and scales. */
record MatMulKernel(boolean transposeA, boolean transposeB, float alpha) implements ShapedKernel {

    static MatMulKernel plain() {
        return new MatMulKernel(false, false, 1f);
    }

    static MatMulKernel fused(Node node) {
        Attributes attributes = node.attributes();
        if (attributes.flag("transBatchA", false) || attributes.flag("transBatchB", false)) {
            throw EngineException.notImplemented(node.describe() + ": transposed batches");
        }
        return new MatMulKernel(
                attributes.flag("transA", false), attributes.flag("transB", false), attributes.real("alpha", 1f));
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape a = transposeA ? transposed(context.inputShape(0)) : context.inputShape(0);
        Shape b = transposeB ? transposed(context.inputShape(1)) : context.inputShape(1);
        MatrixBatches shape = MatrixBatches.of(a, b, !transposeA);
        Domain domain = Domain.of(type);
        if (domain == Domain.LONG) {
            if (transposeA || transposeB || alpha != 1) {
                throw EngineException.notImplemented("FusedMatMul on elements of type " + type);
            }
            RangeTask task = PlainProduct.longs(shape, type);
            long items = (long) shape.batches() * shape.rows();
            return launch -> launch.parallelFor(items, 8, task);
        }
        MatrixLayout left =
                transposeA ? MatrixLayout.transposed(type, shape.rows()) : MatrixLayout.rows(type, shape.depth());
        MatrixLayout right =
                transposeB ? MatrixLayout.transposed(type, shape.depth()) : MatrixLayout.rows(type, shape.columns());
        if (domain == Domain.DOUBLE) {
            return new DoubleProduct(shape, left, right, (launch, batch, row, column, columns, sums, scratch) -> {
                for (int i = 0; i < columns && alpha != 1; i++) {
                    sums[i] *= alpha;
                }
                long at = (batch * shape.rows() + row) * shape.columns() + column;
                Elements.write(type, launch.output(0), at, sums, 0, columns);
            });
        }
        return new Product(
                shape.batches(),
                shape.rows(),
                shape.depth(),
                shape.columns(),
                context.parallelism(),
                (launch, batch, row, rows, at, depth, to, stride, scratch) ->
                        left.read(launch.input(0), shape.left((int) batch), row, rows, at, depth, to, stride, scratch),
                (launch, batch, at, depth, column, columns, to, scratch) ->
                        right.read(launch.input(1), shape.right((int) batch), at, depth, column, columns, to, scratch),
                (launch, batch, row, column, columns, sums, scratch) -> {
                    for (int i = 0; i < columns && alpha != 1; i++) {
                        sums[i] *= alpha;
                    }
                    long at = (batch * shape.rows() + row) * shape.columns() + column;
                    Elements.write(type, launch.output(0), at, sums, 0, columns);
                });
    }

    private static Shape transposed(Shape shape) {
        if (shape.rank() < 2) {
            return shape;
        }
        int last = shape.rank() - 1;
        return shape.with(last, shape.dim(last - 1)).with(last - 1, shape.dim(last));
    }
}
