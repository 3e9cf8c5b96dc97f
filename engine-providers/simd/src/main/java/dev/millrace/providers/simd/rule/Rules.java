package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.rule.attention.AppendStepsRule;
import dev.millrace.providers.simd.rule.attention.AttentionRules;
import dev.millrace.providers.simd.rule.attention.GroupQueryRule;
import dev.millrace.providers.simd.rule.attention.LinearAttentionRule;
import dev.millrace.providers.simd.rule.attention.RotaryRules;
import dev.millrace.providers.simd.rule.conv.ConvRules;
import dev.millrace.providers.simd.rule.elementwise.ElementwiseRules;
import dev.millrace.providers.simd.rule.elementwise.MaskedCopyRules;
import dev.millrace.providers.simd.rule.experts.ExpertRule;
import dev.millrace.providers.simd.rule.move.BlockRules;
import dev.millrace.providers.simd.rule.move.GatherRules;
import dev.millrace.providers.simd.rule.move.MoveRules;
import dev.millrace.providers.simd.rule.move.PadRules;
import dev.millrace.providers.simd.rule.move.ResizeRules;
import dev.millrace.providers.simd.rule.move.ScatterRules;
import dev.millrace.providers.simd.rule.move.ViewRules;
import dev.millrace.providers.simd.rule.product.EinsumRules;
import dev.millrace.providers.simd.rule.product.ProductRules;
import dev.millrace.providers.simd.rule.product.WeightRules;
import dev.millrace.providers.simd.rule.quant.GatherBlocksRule;
import dev.millrace.providers.simd.rule.quant.QuantiseRules;
import dev.millrace.providers.simd.rule.quant.QuantisedProductRules;
import dev.millrace.providers.simd.rule.recurrent.RecurrentRules;
import dev.millrace.providers.simd.rule.reduce.ChannelNormRules;
import dev.millrace.providers.simd.rule.reduce.LossRules;
import dev.millrace.providers.simd.rule.reduce.PoolRules;
import dev.millrace.providers.simd.rule.reduce.RankRules;
import dev.millrace.providers.simd.rule.reduce.ReduceRules;
import dev.millrace.providers.simd.rule.reduce.RowNormRules;
import dev.millrace.providers.simd.rule.reduce.SoftmaxRules;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The rules by operator. */
public final class Rules {
    private static final List<Function<String, @Nullable Rule>> FAMILIES = List.of(
            ElementwiseRules::named,
            ViewRules::named,
            name -> ProductRules.named(name, QuantisedProductRules::dequantised),
            EinsumRules::named,
            ConvRules::named,
            PoolRules::named,
            SoftmaxRules::named,
            RowNormRules::named,
            ChannelNormRules::named,
            AttentionRules::named,
            GroupQueryRule::named,
            AppendStepsRule::named,
            LinearAttentionRule::named,
            RotaryRules::named,
            ReduceRules::named,
            LossRules::named,
            GatherRules::named,
            GatherBlocksRule::named,
            ScatterRules::named,
            RankRules::named,
            BlockRules::named,
            RecurrentRules::named,
            ResizeRules::named,
            PadRules::named,
            MoveRules::named,
            MaskedCopyRules::named,
            QuantisedProductRules::named,
            QuantiseRules::named,
            WeightRules::named,
            ExpertRule::named);

    private static final Map<String, Found> KNOWN = new ConcurrentHashMap<>();

    private record Found(@Nullable Rule rule) {}

    private Rules() {}

    /** The rule of a node's operator, or null where there is none. */
    public static @Nullable Rule of(Node node) {
        String domain = node.op().domain();
        boolean ours = domain.equals(OpId.ONNX) || domain.equals(OpId.MICROSOFT) || domain.equals(OpId.MILLRACE);
        if (node.op().name().equals(WeightRules.BLOCKED) && !WeightRules.suits(node) || !ElementwiseRules.suits(node)) {
            return null;
        }
        return ours ? KNOWN.computeIfAbsent(node.op().name(), Rules::find).rule() : null;
    }

    /** Whether a node multiplies bytes. */
    public static boolean isQuantisedProduct(Node node) {
        return QuantisedProductRules.named(node.op().name()) != null;
    }

    private static Found find(String name) {
        for (Function<String, @Nullable Rule> family : FAMILIES) {
            Rule rule = family.apply(name);
            if (rule != null) {
                return new Found(rule);
            }
        }
        return new Found(null);
    }
}
