package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.kernels.pool.PoolingOperation;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Reductions;
import dev.millrace.providers.simd.rule.elementwise.CastRules;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The rules of reductions over axes, and of operators that divide a value by one of its reductions. */
public final class ReduceRules {
    /** The epsilon that MeanVarianceNormalization adds to a standard deviation. */
    private static final float LEAST_DEVIATION = 1e-9f;

    private static final float FAR = 0x1p100f;

    /** The most narrow elements that are widened to 32 bits; more would take gigabytes of memory. */
    private static final long MOST_WIDENED = 1L << 28;

    private ReduceRules() {}

    public static @Nullable Rule named(String name) {
        ReduceOp reduction = switch (name) {
            case OpName.REDUCE_SUM -> ReduceOp.SUM;
            case OpName.REDUCE_MEAN -> ReduceOp.MEAN;
            case OpName.REDUCE_MAX -> ReduceOp.MAX;
            case "ReduceMin" -> ReduceOp.MIN;
            case "ReduceProd" -> ReduceOp.PROD;
            case "ReduceSumSquare" -> ReduceOp.SUM_SQUARE;
            case "ReduceL1" -> ReduceOp.L1;
            case "ReduceL2" -> ReduceOp.L2;
            case "ReduceLogSum" -> ReduceOp.LOG_SUM;
            case "ReduceLogSumExp" -> ReduceOp.LOG_SUM_EXP;
            default -> null;
        };
        if (reduction != null) {
            return op -> reduce(op, reduction);
        }
        return switch (name) {
            case OpName.LP_NORMALIZATION -> ReduceRules::norm;
            case "MeanVarianceNormalization" -> ReduceRules::meanVariance;
            default -> null;
        };
    }

    private static boolean reduce(LoweringContext op, ReduceOp reduction) {
        ValueState in = op.in(0);
        if (in.type() != op.out().type()) {
            return false;
        }
        if (!Reductions.suit(in, reduction)) {
            return ofNarrowInts(op, reduction);
        }
        int[] axes = axes(op);
        if (ofImages(op, reduction, axes)) {
            return true;
        }
        Reductions.add(op, reduction, in, op.out(), axes);
        return true;
    }

    /** Reduces narrow ints or bools to the largest or smallest, widened to 32 bits. */
    private static boolean ofNarrowInts(LoweringContext op, ReduceOp reduction) {
        ValueState in = op.in(0);
        boolean chooses = reduction == ReduceOp.MAX || reduction == ReduceOp.MIN;
        if (!chooses || in.elements() == 0 || in.elements() > MOST_WIDENED || DataTypes.find(in.type()) == null) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        int[] axes = axes(op);
        if (Reductions.areOfRows(in.shape(), axes)) {
            ValueState result =
                    lowering.part(op.out(), ElementType.INT32, op.out().shape());
            Expr number = Expr.input(0, DataTypes.of(in.type())).to(Kind.INT);
            Reductions.addOfRows(op, reduction, number, in, result);
            return CastRules.cast(op, result, op.out());
        }
        Kind kind = DataTypes.of(in.type()).kind();
        ValueState wide = lowering.part(op.out(), ElementType.INT32, in.shape());
        lowering.defer(wide, List.of(in), v -> v.getFirst().to(Kind.INT));
        ValueState result = lowering.part(op.out(), ElementType.INT32, op.out().shape());
        Reductions.add(op, reduction, wide, result, axes);
        lowering.defer(op.out(), List.of(result), v -> v.getFirst().to(kind));
        lowering.materialise(op.out());
        return true;
    }

    private static int[] axes(LoweringContext op) {
        int rank = op.in(0).shape().rank();
        long[] extents = op.has(1) ? op.content(1).longs() : op.attributes().integers("axes");
        if (extents != null && extents.length > 0) {
            return Arrays.stream(extents)
                    .mapToInt(axis -> Shape.axis(axis, rank))
                    .distinct()
                    .toArray();
        }
        boolean none = op.attributes().isOne("noop_with_empty_axes", false);
        return none ? new int[0] : IntStream.range(0, rank).toArray();
    }

    /** Reduces the pixels of images without reordering them: images in blocks of channels are pooled. */
    private static boolean ofImages(LoweringContext op, ReduceOp reduction, int[] axes) {
        ValueState in = op.in(0);
        op.lowering().materialise(in);
        int rank = in.shape().rank();
        int[] spatial = Arrays.stream(axes).sorted().toArray();
        PoolingOperation pooling = switch (reduction) {
            case MEAN -> PoolingOperation.average();
            case MAX -> PoolingOperation.max();
            default -> null;
        };
        if (!Arrays.equals(spatial, IntStream.range(2, rank).toArray())) {
            return false;
        }
        boolean whole = in.isBlockedOnly() && op.out().shape().rank() == rank;
        return PoolRules.besideEachOther(op, reduction) || whole && pooling != null && PoolRules.whole(op, pooling);
    }

    /**
     * Lowers LpNormalization. Divides by the largest magnitude first, so that neither sums nor squares overflow or
     * underflow.
     */
    private static boolean norm(LoweringContext op) {
        ValueState in = op.in(0);
        if (!in.isFloat() || in.shape().rank() == 0) {
            return false;
        }
        int axis = Shape.axis(op.attributes().integer("axis", -1), in.shape().rank());
        Shape rest = in.shape().with(axis, 1);
        PartitionCompiler lowering = op.lowering();
        ValueState largest = lowering.part(op.out(), in.type(), rest);
        Expr magnitude = Formulas.abs(Expr.input(0, DataTypes.of(in.type())));
        if (Reductions.areOfRows(in.shape(), axis)) {
            Reductions.addOfRows(op, ReduceOp.MAX, magnitude, in, largest);
        } else {
            ValueState magnitudes = lowering.part(op.out(), in.type(), in.shape());
            lowering.defer(magnitudes, List.of(in), v -> Formulas.abs(v.getFirst()));
            Reductions.add(op, ReduceOp.MAX, magnitudes, largest, axis);
        }
        ValueState scale = lowering.part(op.out(), in.type(), rest);
        lowering.defer(scale, List.of(largest), v -> scale(v.getFirst()));
        lowering.dense(scale);
        ValueState scaled = lowering.part(op.out(), in.type(), in.shape());
        lowering.defer(scaled, List.of(in, scale), v -> v.get(0).times(v.get(1)));
        ValueState norm = lowering.part(op.out(), in.type(), rest);
        Reductions.add(op, op.attributes().integer("p", 2) == 1 ? ReduceOp.L1 : ReduceOp.L2, scaled, norm, axis);
        ValueState factor = lowering.part(op.out(), in.type(), rest);
        lowering.defer(factor, List.of(norm), v -> {
            Expr isZero = v.getFirst().combine(Operator.EQUAL, Expr.number(0));
            return isZero.choose(Expr.number(0), Expr.number(1).over(v.getFirst()));
        });
        lowering.dense(factor);
        lowering.defer(op.out(), List.of(scaled, factor), v -> v.get(0).times(v.get(1)));
        return true;
    }

    /**
     * Returns a factor that makes the largest magnitude 1, or brings it near enough for squares and reciprocals to be
     * normal.
     */
    private static Expr scale(Expr largest) {
        Expr isTiny = largest.combine(Operator.LESS, Expr.number(1 / FAR));
        Expr isHuge = Expr.number(FAR).combine(Operator.LESS, largest);
        Expr factor = isHuge.choose(Expr.number(1 / FAR), Expr.number(1).over(largest));
        return isTiny.choose(Expr.number(FAR), factor);
    }

    private static boolean meanVariance(LoweringContext op) {
        ValueState in = op.in(0);
        int rank = in.shape().rank();
        long[] extents = op.attributes().integers("axes");
        if (!in.isFloat() || extents == null && rank != 4) {
            return false;
        }
        int[] axes = Arrays.stream(extents == null ? new long[] {0, 2, 3} : extents)
                .mapToInt(axis -> Shape.axis(axis, rank))
                .distinct()
                .toArray();
        Shape rest = in.shape();
        for (int axis : axes) {
            rest = rest.with(axis, 1);
        }
        PartitionCompiler lowering = op.lowering();
        // a power of two that no sum over the axes is too large with
        float scale = Math.scalb(1f, -2 - Math.getExponent((double) in.elements()));
        ValueState scaled = lowering.part(op.out(), in.type(), in.shape());
        lowering.defer(scaled, List.of(in), v -> v.getFirst().times(Expr.number(scale)));
        ValueState mean = lowering.part(op.out(), in.type(), rest);
        Reductions.add(op, ReduceOp.MEAN, scaled, mean, axes);
        ValueState centred = lowering.part(op.out(), in.type(), in.shape());
        lowering.defer(centred, List.of(scaled, mean), v -> v.get(0).minus(v.get(1)));
        ValueState length = lowering.part(op.out(), in.type(), rest);
        Reductions.add(op, ReduceOp.L2, centred, length, axes);
        long results = rest.elements();
        float factor = (float) Math.sqrt((double) results / in.elements());
        lowering.defer(op.out(), List.of(centred, length), v -> {
            Expr deviation = v.get(1).times(Expr.number(factor));
            return v.get(0).over(deviation.plus(Expr.number(LEAST_DEVIATION * scale)));
        });
        return true;
    }
}
