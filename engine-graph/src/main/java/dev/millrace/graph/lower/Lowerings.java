package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes ONNX's operators in place of those that are made of them, so that optimiser and providers know them. What an
 * operator's rank or element type decides has to be inferred before.
 */
public final class Lowerings {
    /** What an operator is made of. */
    @FunctionalInterface
    interface Lowering {
        void write(Composer composer);
    }

    private Lowerings() {}

    /** Lowers what can be lowered in {@code graph} and those nested in it; whether that was anything. */
    public static boolean lower(Graph graph) {
        boolean lowered = false;
        for (Node node : graph.nodes()) {
            for (Graph nested : node.attributes().graphs()) {
                lowered |= lower(nested);
            }
            Lowering lowering = lowering(node);
            if (lowering != null) {
                var composer = new Composer(node);
                lowering.write(composer);
                composer.replace();
                lowered = true;
            }
        }
        return lowered;
    }

    private static @Nullable Lowering lowering(Node node) {
        Lowering definition = DefinitionLowering.of(node);
        return definition != null ? definition : written(node);
    }

    /** A lowering that says more than a formula of the table can. */
    private static @Nullable Lowering written(Node node) {
        return switch (node.op().domain()) {
            case OpId.MICROSOFT -> contributed(node);
            case OpId.ONNX -> ofOnnx(node);
            case OpId.ONNX_ML -> LinearLowerings.lowering(node);
            case OpId.ONNX_PREVIEW -> node.op().name().equals("FlexAttention") ? FlexAttentionLowering::write : null;
            case OpId.ONNX_TRAINING -> node.op().name().equals("Gradient") ? GradientLowering::write : null;
            default -> null;
        };
    }

    private static @Nullable Lowering ofOnnx(Node node) {
        return switch (node.op().name()) {
            case "CausalConvWithState" -> CausalConvLowering::write;
            case "DeformConv" -> DeformConvLowering::write;
            default -> EarlyLowerings.lowering(node);
        };
    }

    private static @Nullable Lowering contributed(Node node) {
        String name = node.op().name();
        Lowering lowering = name.startsWith("Q") ? QuantisedLowerings.lowering(name) : FusedLowerings.lowering(node);
        if (lowering == null) {
            lowering = ProductLowerings.lowering(node);
        }
        if (lowering == null) {
            lowering = AttentionLowerings.lowering(node);
        }
        return lowering == null ? byName(name) : lowering;
    }

    private static @Nullable Lowering byName(String name) {
        List<Function<String, @Nullable Lowering>> families = List.of(
                ArrayLowerings::lowering,
                BlockProductLowerings::lowering,
                ElementLowerings::lowering,
                GateLowerings::lowering,
                OrderedLowerings::lowering,
                PartialAttentionLowerings::lowering,
                PackingLowerings::lowering,
                PositionLowerings::lowering);
        for (Function<String, @Nullable Lowering> family : families) {
            Lowering lowering = family.apply(name);
            if (lowering != null) {
                return lowering;
            }
        }
        return null;
    }
}
