package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import dev.millrace.providers.simd.rule.common.OutputViews;
import dev.millrace.providers.simd.rule.product.ProductRoot;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A product of bytes both of which only a run knows, so that nothing is packed. It is computed as a sum of float
 * products, each short enough to be exact.
 */
final class VaryingProduct {
    /** The most products of two signed 9-bit numbers whose sum fits into the 24-bit significand of a float. */
    private static final long EXACT_DEPTH = 256;

    private final LoweringContext op;
    private final PartitionCompiler lowering;

    private VaryingProduct(LoweringContext op) {
        this.op = op;
        lowering = op.lowering();
    }

    /** Lowers a MatMulInteger; false where its operands are not supported. */
    static boolean integers(LoweringContext op) {
        ValueState sums = new VaryingProduct(op).sums(op.in(0), op.find(2), op.in(1), op.find(3));
        if (sums == null) {
            return false;
        }
        op.lowering().provide(op.out(), op.lowering().dense(sums));
        return true;
    }

    /** Lowers a QLinearMatMul; false where its operands are not supported. */
    static boolean bytes(LoweringContext op) {
        QuantisedType type = Granularity.typeOf(op.out().type());
        boolean single = isSingle(op.in(1)) && isSingle(op.in(6)) && isSingle(op.in(7));
        for (int scale : new int[] {1, 4, 6}) {
            single &= Float16Conversion.areFloats(op.in(scale).type());
        }
        boolean fits = single && type != null && ByteWeights.areBytes(op.out().type()) && goesWithColumns(op, 4);
        ValueState sums = fits ? new VaryingProduct(op).sums(op.in(0), op.in(2), op.in(3), op.in(5)) : null;
        if (sums == null || type == null) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        Shape shape = Shape.broadcast(
                op.in(4).shape(), Shape.broadcast(op.in(1).shape(), op.in(6).shape()));
        ValueState factor = lowering.part(op.out(), ElementType.FLOAT, shape);
        lowering.defer(
                factor,
                List.of(op.in(1), op.in(4), op.in(6)),
                v -> v.get(0).times(v.get(1)).over(v.get(2)));
        lowering.materialise(factor);
        lowering.defer(
                op.out(),
                List.of(sums, factor, op.in(7)),
                v -> QuantiseRules.quantised(
                        v.get(0).to(Kind.FLOAT).times(v.get(1)), v.get(2).to(Kind.FLOAT), type));
        lowering.materialise(op.out());
        return true;
    }

    private static boolean isSingle(ValueState cell) {
        return cell.elements() == 1 && cell.shape().rank() <= 1;
    }

    private static boolean goesWithColumns(LoweringContext op, int input) {
        Shape shape = op.in(input).shape();
        return isSingle(op.in(input))
                || shape.rank() == 1 && shape.dim(0) == op.out().shape().dimAt(-1);
    }

    /** Returns the product in 32-bit ints, or null where the operands are not supported. */
    private @Nullable ValueState sums(
            ValueState a, @Nullable ValueState zeroOfA, ValueState b, @Nullable ValueState zeroOfB) {
        int rank = a.shape().rank();
        boolean fits = ByteWeights.areBytes(a.type())
                && ByteWeights.areBytes(b.type())
                && rank > 1
                && b.shape().rank() > 1
                && (zeroOfA == null || isSingle(zeroOfA))
                && (zeroOfB == null
                        || isSingle(zeroOfB)
                        || zeroOfB.shape().equals(Shape.of(b.shape().dimAt(-1))));
        long depth = fits ? a.shape().dimAt(-1) : 0;
        if (depth == 0 || depth != b.shape().dimAt(-2)) {
            return null;
        }
        View left = lowering.dense(withoutZero(a, zeroOfA));
        View right = lowering.dense(withoutZero(b, zeroOfB));
        ValueState sums = null;
        for (long first = 0; first < depth; first += EXACT_DEPTH) {
            long count = Math.min(EXACT_DEPTH, depth - first);
            ValueState product = product(
                    part(left, rank - 1, first, count), part(right, b.shape().rank() - 2, first, count));
            ValueState before = sums;
            sums = lowering.part(op.out(), ElementType.INT32, op.out().shape());
            lowering.defer(
                    sums,
                    before == null ? List.of(product) : List.of(product, before),
                    v -> v.size() == 1
                            ? v.getFirst().to(Kind.INT)
                            : v.get(0).to(Kind.INT).plus(v.get(1)));
            lowering.materialise(sums);
        }
        return sums;
    }

    private ValueState withoutZero(ValueState bytes, @Nullable ValueState zero) {
        ValueState floats = lowering.part(op.out(), ElementType.FLOAT, bytes.shape());
        lowering.defer(
                floats,
                zero == null ? List.of(bytes) : List.of(bytes, zero),
                v -> (v.size() == 1 ? v.getFirst() : v.get(0).minus(v.get(1))).to(Kind.FLOAT));
        return floats;
    }

    private ValueState part(View view, int axis, long first, long count) {
        long[] starts = new long[view.shape().rank()];
        long[] steps = new long[starts.length];
        Arrays.fill(steps, 1);
        starts[axis] = first;
        View slice = view.sliced(starts, steps, view.shape().with(axis, count));
        return OutputViews.of(lowering, op.out(), slice);
    }

    private ValueState product(ValueState a, ValueState b) {
        ValueState product = lowering.part(op.out(), ElementType.FLOAT, op.out().shape());
        lowering.defer(product, Objects.requireNonNull(ProductRoot.of(lowering, a, b, false, false, product.shape())));
        lowering.materialise(product);
        return product;
    }
}
