package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.norm.NormRows;
import dev.millrace.kernels.norm.RowNorm;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Normalisations of rows, from an axis to the end. A sum of two values is done on the way where it waits. */
public final class RowNormRules {
    private RowNormRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.LAYER_NORMALIZATION -> op -> op.wants(0) && plain(op, true);
            case OpName.RMS_NORMALIZATION, "SimplifiedLayerNormalization" -> op -> op.wants(0) && plain(op, false);
            case "SkipLayerNormalization" -> op -> op.wants(0) && afterSkip(op, true);
            case "SkipSimplifiedLayerNormalization" -> op -> op.wants(0) && afterSkip(op, false);
            default -> null;
        };
    }

    /** The key of a driver. */
    /** The views that a step reads and writes; null for those that it does not have. */
    private record OutputViews(
            View in,
            View out,
            @Nullable View skip,
            @Nullable View sum,
            @Nullable View scale,
            @Nullable View bias,
            @Nullable View means,
            @Nullable View deviations) {
        List<View> reads() {
            return present(in, skip, scale, bias);
        }

        List<View> writes() {
            return present(out, sum == out ? null : sum, means, deviations);
        }

        private static List<View> present(@Nullable View... views) {
            var present = new ArrayList<View>();
            for (View view : views) {
                if (view != null) {
                    present.add(view);
                }
            }
            return present;
        }

        RowNorm.Operands in(RunMemory memory) {
            return new RowNorm.Operands(
                    memory.segment(in),
                    memory.segment(out),
                    skip == null ? null : memory.segment(skip),
                    sum == null ? null : memory.segment(sum),
                    scale == null ? null : memory.segment(scale),
                    bias == null ? null : memory.segment(bias),
                    means == null ? null : memory.segment(means),
                    deviations == null ? null : memory.segment(deviations));
        }
    }

    private static boolean plain(LoweringContext op, boolean centred) {
        ValueState in = op.in(0);
        if (!suits(op, centred)) {
            return false;
        }
        int axis = in.shape().rank() == 0
                ? 0
                : Shape.axis(op.attributes().integer("axis", -1), in.shape().rank());
        ValueState scale = op.find(1);
        ValueState bias = centred ? op.find(2) : null;
        if (!isRow(scale, in.shape(), axis) || !isRow(bias, in.shape(), axis)) {
            return false;
        }
        normalise(
                op,
                in,
                in.readers() > 1,
                axis,
                scale,
                bias,
                centred,
                op.attributes().real("epsilon", 1e-5f));
        return true;
    }

    private static boolean afterSkip(LoweringContext op, boolean centred) {
        Shape shape = op.in(0).shape();
        int axis = shape.rank() - 1;
        ValueState scale = op.find(2);
        ValueState beta = centred ? op.find(3) : null;
        ValueState added = op.find(centred ? 4 : 3);
        if (!suits(op, centred)
                || !isRow(scale, shape, axis)
                || !isRow(beta, shape, axis)
                || !isRow(added, shape, axis)) {
            return false;
        }
        boolean kept = op.wants(3);
        ValueState sum = kept ? op.out(3) : op.lowering().part(op.out(), ElementType.FLOAT, shape);
        var operands = new ArrayList<>(List.of(op.in(0), op.in(1)));
        if (added != null) {
            operands.add(added);
        }
        op.lowering().defer(sum, operands, v -> {
            Expr both = v.get(0).plus(v.get(1));
            return v.size() == 2 ? both : both.plus(v.get(2));
        });
        normalise(op, sum, kept, axis, scale, beta, centred, op.attributes().real("epsilon", 1e-12f));
        return true;
    }

    private static boolean suits(LoweringContext op, boolean centred) {
        boolean keeps = op.wants(1) || op.wants(2);
        if (op.in(0).elements() == 0 || !op.out().isFloat() || keeps && !centred) {
            return false;
        }
        for (int i = 0; i < op.inputs(); i++) {
            if (op.has(i) && !op.in(i).isFloat()) {
                return false;
            }
        }
        return true;
    }

    /** Whether an operand, if there is one, has a number for each element of a row from an axis on. */
    private static boolean isRow(@Nullable ValueState operand, Shape shape, int axis) {
        if (operand == null) {
            return true;
        }
        if (!operand.isFloat() || operand.elements() != shape.elements(axis, shape.rank())) {
            return false;
        }
        int more = shape.rank() - operand.shape().rank();
        for (int i = axis; i < shape.rank(); i++) {
            long extent = i < more ? 1 : operand.shape().dim(i - more);
            if (extent != shape.dim(i)) {
                return false;
            }
        }
        return true;
    }

    /** @param kept whether somebody else reads what is normalised */
    private static void normalise(
            LoweringContext op,
            ValueState in,
            boolean kept,
            int axis,
            @Nullable ValueState scale,
            @Nullable ValueState bias,
            boolean centred,
            float epsilon) {
        boolean means = op.wants(1);
        boolean deviations = op.wants(2);
        PartitionCompiler lowering = op.lowering();
        List<ValueState> addends = lowering.addends(in);
        View first = lowering.dense(addends == null ? in : addends.getFirst());
        View skip = addends == null ? null : lowering.dense(addends.getLast());
        View factors = scale == null ? null : lowering.dense(scale);
        View offsets = bias == null ? null : lowering.dense(bias);
        View out = lowering.allocate(op.out());
        View sum = addends == null ? null : kept ? lowering.allocate(in) : out;
        long count = in.shape().elements(axis, in.shape().rank());
        long rows = in.elements() / count;
        boolean keeps = means || deviations;
        var variant = new NormRows.Variant(centred, skip != null, scale != null, bias != null, keeps);
        var parts = new OutputViews(
                first,
                out,
                skip,
                sum,
                factors,
                offsets,
                keeps ? statistic(op, means ? 1 : -1, rows) : null,
                keeps ? statistic(op, deviations ? 2 : -1, rows) : null);
        RowNorm norm = op.environment()
                .driver(
                        List.of(RowNorm.class, variant.key(), epsilon),
                        () -> new RowNorm(op.environment().kernels(), variant, epsilon));
        lowering.add(ProgramStep.of(() -> variant.key().toString(), op.node().name())
                .reading(parts.reads())
                .writing(parts.writes())
                .repeating()
                .calling(memory -> {
                    RowNorm.Operands operands = parts.in(memory);
                    return norm.bind(operands, rows, count)::accept;
                }));
    }

    private static View statistic(LoweringContext op, int output, long rows) {
        return output < 0
                ? op.lowering().allocate(ElementType.FLOAT, Shape.of(rows))
                : op.lowering().allocate(op.out(output));
    }
}
