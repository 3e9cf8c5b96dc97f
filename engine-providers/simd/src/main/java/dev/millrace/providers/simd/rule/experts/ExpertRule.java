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

/** The rule of QMoE of {@code com.microsoft}, whose weights are blocks of 4 or 8 bits. */
public final class ExpertRule {
    private static final int ROUTER_WEIGHTS = 14;
    private static final int THIRD = 8;
    private static final int IN_TURN = 1;

    private ExpertRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.Q_MOE) ? ExpertRule::lower : null;
    }

    private static boolean lower(LoweringContext op) {
        Attributes attributes = op.attributes();
        ValueState tokens = op.in(0);
        ValueState scores = op.in(1);
        long width = tokens.shape().dimAt(-1);
        if (!isSuited(op) || width == 0 || tokens.elements() == 0) {
            return false;
        }
        boolean third = op.has(THIRD);
        long fusion = attributes.text("activation_type", "relu").equals("swiglu")
                ? attributes.integer("swiglu_fusion", 0)
                : 0;
        boolean gated = third || fusion != 0;
        Expr function = ExpertFunction.of(attributes, gated);
        PackedExperts first = PackedExperts.of(op, third ? List.of(0, 2) : List.of(0), width, fusion == IN_TURN);
        long inner = first == null ? 0 : gated ? first.n() / 2 : first.n();
        PackedExperts second = first == null ? null : PackedExperts.of(op, List.of(1), inner, false);
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
        boolean third = op.has(THIRD);
        return Float16Conversion.areFloats(op.in(0).type())
                && Float16Conversion.areFloats(op.in(1).type())
                && !op.has(ROUTER_WEIGHTS)
                && attributes.text("quant_type", "int").equals("int")
                && !attributes.flag("use_sparse_mixer", false)
                && fusion >= 0
                && fusion <= 2
                && (fusion == 0 || !third)
                && (!swiglu || fusion != 0 || third);
    }
}
