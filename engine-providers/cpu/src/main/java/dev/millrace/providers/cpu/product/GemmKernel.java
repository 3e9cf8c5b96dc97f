package dev.millrace.providers.cpu.product;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.elementwise.Domain;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** Gemm: {@code alpha · A' · B' + beta · C}. */
record GemmKernel(boolean transposeA, boolean transposeB, float alpha, float beta) implements ShapedKernel {

    private static final int FEW_ROWS = 4;

    static GemmKernel of(Attributes attributes) {
        return new GemmKernel(
                attributes.flag("transA", false),
                attributes.flag("transB", false),
                attributes.real("alpha", 1f),
                attributes.real("beta", 1f));
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape a = context.inputShape(0);
        Shape b = context.inputShape(1);
        Shape out = context.outputShape(0);
        int m = ArrayExtents.toInt("rows", out.dim(0));
        int n = ArrayExtents.toInt("columns", out.dim(1));
        int k = ArrayExtents.toInt("elements of a row", a.dim(transposeA ? 0 : 1));
        Broadcast bias = context.hasInput(2) && beta != 0 ? Broadcast.of(type, context.inputShape(2), out) : null;
        MatrixLayout left = transposeA ? MatrixLayout.transposed(type, m) : MatrixLayout.rows(type, k);
        MatrixLayout right = transposeB ? MatrixLayout.transposed(type, k) : MatrixLayout.rows(type, n);
        Domain domain = Domain.of(type);
        if (domain == Domain.LONG) {
            RangeTask task = longs(left, right, k, n, bias);
            return launch -> launch.parallelFor(m, 1, task);
        }
        if (domain == Domain.DOUBLE) {
            MatrixBatches shape = MatrixBatches.of(Shape.of(m, k), Shape.of(k, n));
            return new DoubleProduct(shape, left, right, finishDoubles(type, n, bias));
        }
        if (transposeB && m <= FEW_ROWS) {
            RangeTask task = dots(left, type, m, k, n, bias);
            long grain = Math.max(1, 50_000 / Math.max(1, k));
            return launch -> launch.parallelFor(n, grain, task);
        }
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
                finish(type, n, bias));
    }

    private Product.Finish finish(ElementType type, int n, @Nullable Broadcast bias) {
        return (launch, batch, row, column, columns, sums, scratch) -> {
            long at = (long) row * n + column;
            for (int j = 0; j < columns && alpha != 1; j++) {
                sums[j] *= alpha;
            }
            if (bias != null) {
                float[] added = scratch.floats(2, columns);
                bias.read(launch.input(2), at, added, columns);
                for (int j = 0; j < columns; j++) {
                    sums[j] += beta * added[j];
                }
            }
            Elements.write(type, launch.output(0), at, sums, 0, columns);
        };
    }

    /**
     * Computes few rows as dot products, where transposing the right operand would cost more than the product. An item
     * is a column.
     */
    private RangeTask dots(MatrixLayout left, ElementType type, int m, int k, int n, @Nullable Broadcast bias) {
        return (launch, from, to, scratch) -> {
            float[] rows = scratch.floats(0, m * k);
            float[] line = scratch.floats(2, k);
            float[] added = scratch.floats(3, 1);
            left.read(launch.input(0), 0, 0, m, 0, k, rows, k, scratch);
            for (long column = from; column < to; column++) {
                Elements.read(type, launch.input(1), column * k, line, 0, k);
                for (int row = 0; row < m; row++) {
                    float sum = alpha * dot(rows, row * k, line, k);
                    if (bias != null) {
                        bias.read(launch.input(2), row * (long) n + column, added, 1);
                        sum += beta * added[0];
                    }
                    Elements.setDouble(type, launch.output(0), row * (long) n + column, sum);
                }
            }
        };
    }

    private static float dot(float[] x, int at, float[] y, int count) {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        int i = 0;
        for (; i + 4 <= count; i += 4) {
            a = Math.fma(x[at + i], y[i], a);
            b = Math.fma(x[at + i + 1], y[i + 1], b);
            c = Math.fma(x[at + i + 2], y[i + 2], c);
            d = Math.fma(x[at + i + 3], y[i + 3], d);
        }
        for (; i < count; i++) {
            a = Math.fma(x[at + i], y[i], a);
        }
        return (a + b) + (c + d);
    }

    private DoubleProduct.Finish finishDoubles(ElementType type, int n, @Nullable Broadcast bias) {
        return (launch, batch, row, column, columns, sums, scratch) -> {
            long at = (long) row * n + column;
            for (int j = 0; j < columns && alpha != 1; j++) {
                sums[j] *= alpha;
            }
            if (bias != null) {
                double[] added = scratch.doubles(2, columns);
                bias.read(launch.input(2), at, added, columns);
                for (int j = 0; j < columns; j++) {
                    sums[j] += beta * added[j];
                }
            }
            Elements.write(type, launch.output(0), at, sums, 0, columns);
        };
    }

    private RangeTask longs(MatrixLayout left, MatrixLayout right, int k, int n, @Nullable Broadcast bias) {
        return (launch, from, to, scratch) -> {
            long[] added = scratch.longs(0, 1);
            for (long cell = from * n; cell < to * n; cell++) {
                long sum = 0;
                for (int i = 0; i < k; i++) {
                    sum += Elements.getLong(left.type(), launch.input(0), left.offset(cell / n, i))
                            * Elements.getLong(right.type(), launch.input(1), right.offset(i, cell % n));
                }
                added[0] = 0;
                if (bias != null) {
                    bias.read(launch.input(2), cell, added, 1);
                }
                long result = alpha == 1 && beta == 1 ? sum + added[0] : (long) (alpha * sum + beta * added[0]);
                Elements.setLong(left.type(), launch.output(0), cell, result);
            }
        };
    }
}
