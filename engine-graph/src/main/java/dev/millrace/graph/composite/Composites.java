package dev.millrace.graph.composite;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import org.jspecify.annotations.Nullable;

/**
 * Writes ONNX's operators in place of those that are made of them, so that optimiser and providers know them. What an
 * operator's rank or element type decides has to be inferred before.
 */
public final class Composites {
    /** What an operator is made of. */
    @FunctionalInterface
    interface Recipe {
        void write(Composer composer);
    }

    private Composites() {}

    /** Expands what can be expanded in {@code graph} and those nested in it; whether that was anything. */
    public static boolean expand(Graph graph) {
        boolean expanded = false;
        for (Node node : graph.nodes()) {
            for (Graph nested : node.attributes().graphs()) {
                expanded |= expand(nested);
            }
            Recipe recipe = recipe(node);
            if (recipe != null) {
                var composer = new Composer(node);
                recipe.write(composer);
                composer.replace();
                expanded = true;
            }
        }
        return expanded;
    }

    private static @Nullable Recipe recipe(Node node) {
        return switch (node.op().domain()) {
            case OpId.MICROSOFT -> contributed(node);
            case OpId.ONNX ->
                node.is("CausalConvWithState") ? CausalConvComposite::write : EarlyComposites.recipe(node);
            case OpId.ONNX_PREVIEW -> node.op().name().equals("FlexAttention") ? FlexAttentionComposite::write : null;
            default -> null;
        };
    }

    private static @Nullable Recipe contributed(Node node) {
        String name = node.op().name();
        Recipe recipe = name.startsWith("Q") ? QuantisedComposites.recipe(name) : FusedComposites.recipe(node);
        if (recipe == null) {
            recipe = ProductComposites.recipe(node);
        }
        if (recipe == null) {
            recipe = AttentionComposites.recipe(node);
        }
        return recipe == null ? ArrayComposites.recipe(name) : recipe;
    }
}
