package dev.millrace.providers.simd.rule.experts;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rule of QMoE of {@code com.microsoft}, whose weights are blocks of 4 or 8 bits, and of MoE, whose weights are floats. */
public final class ExpertRule {
    private static final int ROUTER_WEIGHTS = 14;
    private static final int THIRD_LAYER = 2;
    private static final int IN_TURN = 1;

    private ExpertRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.Q_MOE) || name.equals(OpName.MOE) ? ExpertRule::lower : null;
    }

    private static boolean isQuantised(LoweringContext op) {
        return op.name().equals(OpName.Q_MOE);
    }

    private static boolean hasThirdLayer(LoweringContext op) {
        return op.has(2 + THIRD_LAYER * (isQuantised(op) ? 3 : 2));
    }

    private static @Nullable PackedExperts layer(LoweringContext op, List<Integer> layers, long k, boolean inTurn) {
        return isQuantised(op)
                ? PackedExperts.of(op, layers, k, inTurn)
                : PackedExperts.ofFloats(op, layers, k, inTurn);
    }

    private static boolean lower(LoweringContext op) {
        Attributes attributes = op.attributes();
        ValueState tokens = op.in(0);
        ValueState scores = op.in(1);
        long width = tokens.shape().dimAt(-1);
        if (!isSuited(op) || width == 0 || tokens.elements() == 0) {
            return false;
        }
        boolean third = hasThirdLayer(op);
        long fusion = attributes.text("activation_type", "relu").equals("swiglu")
                ? attributes.integer("swiglu_fusion", 0)
                : 0;
        boolean gated = third || fusion != 0;
        Expr function = ExpertFunction.of(attributes, gated);
        PackedExperts first = layer(op, third ? List.of(0, 2) : List.of(0), width, fusion == IN_TURN);
        long inner = first == null ? 0 : gated ? first.n() / 2 : first.n();
        PackedExperts second = first == null ? null : layer(op, List.of(1), inner, false);
        if (function == null || first == null || second == null || second.n() != width) {
            return false;
        }
        ValueState out = Float16Conversion.wide(op, op.out());
        var routing = new ExpertRouting(
                Math.toIntExact(tokens.elements() / width),
                first.experts(),
                Math.toIntExact(attributes.integer("k", 1)),
                attributes.flag("normalize_routing_weights", false));
        var step = new ExpertStep(
                routing,
                first,
                second,
                gated,
                op.environment()
                        .driver(
                                List.of(Elementwise.class, function),
                                () -> new Elementwise(op.environment().kernels(), function, DataType.F32)),
                op.lowering().dense(Float16Conversion.widened(op, tokens)),
                op.lowering().dense(Float16Conversion.widened(op, scores)),
                op.lowering().allocate(out));
        op.lowering().add(step.of(op.node().name(), op.lowering().width()));
        Float16Conversion.finish(op, op.out(), out);
        return true;
    }

    private static boolean isSuited(LoweringContext op) {
        Attributes attributes = op.attributes();
        boolean swiglu = attributes.text("activation_type", "relu").equals("swiglu");
        long fusion = swiglu ? attributes.integer("swiglu_fusion", 0) : 0;
        boolean third = hasThirdLayer(op);
        return Float16Conversion.areFloats(op.in(0).type())
                && Float16Conversion.areFloats(op.in(1).type())
                && !(isQuantised(op) && op.has(ROUTER_WEIGHTS))
                && attributes.text("quant_type", "int").equals("int")
                && !attributes.flag("use_sparse_mixer", false)
                && fusion >= 0
                && fusion <= 2
                && (fusion == 0 || !third)
                && (!swiglu || fusion != 0 || third);
    }
}
