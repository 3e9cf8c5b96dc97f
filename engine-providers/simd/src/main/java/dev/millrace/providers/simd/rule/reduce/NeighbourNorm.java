package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.pool.PlanePool;
import dev.millrace.kernels.pool.PoolingOperation;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.WindowAxes;
import java.util.List;

/**
 * LRN: each element is divided by a power of the squares in the channels around it. Their average is a pooling of images
 * whose rows are the channels.
 */
final class NeighbourNorm {
    /** The largest exponent with which the rounding of the base stays small in the power. */
    private static final float MOST_BETA = 64;

    private NeighbourNorm() {}

    static boolean lower(LoweringContext op) {
        ValueState in = op.in(0);
        Shape shape = in.shape();
        long channels = shape.dim(1);
        long pixels = shape.elements(2, shape.rank());
        long size = op.attributes().integer("size");
        float beta = op.attributes().real("beta", 0.75f);
        if (!in.isFloat()
                || Math.abs(beta) > MOST_BETA
                || WindowAxes.isWide(channels)
                || WindowAxes.isWide(pixels)
                || WindowAxes.isWide(size)) {
            return false;
        }
        int before = (int) (size - 1) / 2;
        int behind = (int) size - 1 - before;
        var windows = new WindowShape(
                Math.toIntExact(shape.dim(0)),
                1,
                Axis.pointwise(1),
                Axis.of((int) channels, (int) size, 1, 1, before, behind),
                Axis.pointwise((int) pixels));
        PoolingOperation pooling = PoolingOperation.averageWithPadding(0, behind, 0);
        if (!PlanePool.fits(op.environment().kernels(), windows, pooling)) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        lowering.materialise(in);
        ValueState squares = lowering.part(op.out(), ElementType.FLOAT, shape);
        lowering.defer(squares, List.of(in), v -> v.getFirst().times(v.getFirst()));
        ValueState average = lowering.part(op.out(), ElementType.FLOAT, shape);
        PoolRules.addPlanes(op, squares, average, windows, pooling);
        Expr alpha = Expr.number(op.attributes().real("alpha", 1e-4f));
        Expr bias = Expr.number(op.attributes().real("bias", 1f));
        lowering.defer(
                op.out(),
                List.of(in, average),
                v -> v.get(0).over(power(v.get(1).times(alpha).plus(bias), beta)));
        return true;
    }

    private static Expr power(Expr base, float exponent) {
        if (exponent == 0.75f) {
            Expr root = base.apply(FloatFunction.SQRT);
            return root.times(root.apply(FloatFunction.SQRT));
        }
        return base.combine(Operator.POWER, Expr.number(exponent));
    }
}
