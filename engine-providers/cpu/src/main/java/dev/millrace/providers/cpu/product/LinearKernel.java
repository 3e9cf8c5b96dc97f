package dev.millrace.providers.cpu.product;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.providers.cpu.elementwise.UnaryOps;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** The engine's Linear: {@code activation(X · W + bias + residual)}, all but the product optional. */
record LinearKernel(@Nullable Unary activation) implements ShapedKernel {

    static LinearKernel of(Node node) {
        String name = node.attributes().text("activation", "");
        if (name.isEmpty() || name.equals("None")) {
            return new LinearKernel(null);
        }
        Unary function = UnaryOps.activation(name);
        if (function == null) {
            throw EngineException.notImplemented(node.describe() + ": activation '" + name + "'");
        }
        return new LinearKernel(function);
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape x = context.inputShape(0);
        Shape out = context.outputShape(0);
        int n = ArrayExtents.toInt("columns", context.inputShape(1).dim(1));
        int k = ArrayExtents.toInt("elements of a row", x.dimAt(-1));
        int m = ArrayExtents.toInt("rows", x.elements(0, x.rank() - 1));
        Broadcast bias = context.hasInput(2) ? Broadcast.of(type, context.inputShape(2), out) : null;
        Broadcast residual = context.hasInput(3) ? Broadcast.of(type, context.inputShape(3), out) : null;
        MatrixLayout left = MatrixLayout.rows(type, k);
        MatrixLayout right = MatrixLayout.rows(type, n);
        if (type == ElementType.DOUBLE) {
            MatrixBatches shape = MatrixBatches.of(Shape.of(m, k), Shape.of(k, n));
            return new DoubleProduct(shape, left, right, finishDoubles(n, bias, residual));
        }
        Unary.Floats function = activation == null ? null : activation.requireFloats();
        return new Product(
                1,
                m,
                k,
                n,
                context.parallelism(),
                (launch, batch, row, rows, at, depth, to, stride, scratch) ->
                        left.read(launch.input(0), 0, row, rows, at, depth, to, stride, scratch),
                (launch, batch, at, depth, column, columns, to, scratch) ->
                        right.read(launch.input(1), 0, at, depth, column, columns, to, scratch),
                (launch, batch, row, column, columns, sums, scratch) -> {
                    long at = (long) row * n + column;
                    float[] added = scratch.floats(2, columns);
                    if (bias != null) {
                        bias.read(launch.input(2), at, added, columns);
                        add(sums, added, columns);
                    }
                    if (residual != null) {
                        residual.read(launch.input(3), at, added, columns);
                        add(sums, added, columns);
                    }
                    if (function != null) {
                        function.apply(sums, sums, columns);
                    }
                    Elements.write(type, launch.output(0), at, sums, 0, columns);
                });
    }

    private DoubleProduct.Finish finishDoubles(int n, @Nullable Broadcast bias, @Nullable Broadcast residual) {
        Unary.Doubles function = activation == null ? null : activation.requireDoubles();
        return (launch, batch, row, column, columns, sums, scratch) -> {
            long at = (long) row * n + column;
            double[] added = scratch.doubles(2, columns);
            if (bias != null) {
                bias.read(launch.input(2), at, added, columns);
                add(sums, added, columns);
            }
            if (residual != null) {
                residual.read(launch.input(3), at, added, columns);
                add(sums, added, columns);
            }
            if (function != null) {
                function.apply(sums, sums, columns);
            }
            Elements.write(ElementType.DOUBLE, launch.output(0), at, sums, 0, columns);
        };
    }

    private static void add(double[] sums, double[] added, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += added[i];
        }
    }

    private static void add(float[] sums, float[] added, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += added[i];
        }
    }
}
