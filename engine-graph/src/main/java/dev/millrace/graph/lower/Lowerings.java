package dev.millrace.graph.lower;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.ValueType;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Replaces composite operators by ONNX's own, which the optimiser and the providers know. Where the replacement depends
 * on ranks, extents or element types that are not known before a run, a node stays as it is and is lowered in the run.
 */
public final class Lowerings {
    /** The replacement of one operator by simpler ones. */
    @FunctionalInterface
    interface Lowering {
        void write(Composer composer);
    }

    private Lowerings() {}

    /** Lowers all nodes of {@code graph} and its nested graphs that can be lowered; returns whether there were any. */
    public static boolean lower(Graph graph) {
        boolean lowered = false;
        for (Node node : graph.nodes()) {
            for (Graph nested : node.attributes().graphs()) {
                lowered |= lower(nested);
            }
            Lowering lowering = lowering(node);
            if (lowering != null && !waits(node, lowering)) {
                lower(node, lowering);
                lowered = true;
            }
        }
        return lowered;
    }

    /**
     * Whether a node may have to wait for a run before it is lowered: whether the lowering asks for ranks, extents or
     * element types of its inputs. It does not matter whether they are known now: a node that waits is not lowered later
     * on.
     */
    public static boolean waitsForRun(Node node) {
        Lowering lowering = lowering(node);
        return lowering != null && node.captured().isEmpty() && Trial.of(node, lowering).asks;
    }

    /**
     * Returns the graph that replaces a node once a run knows the shapes of its inputs. It has the inputs that the node
     * does not omit, and the outputs that are read.
     */
    public static Graph inRun(Node node, Facts facts) {
        Graph alone = LoneNode.of(node, facts);
        TypeInference.infer(alone);
        lower(alone);
        TypeInference.infer(alone);
        return alone;
    }

    /** Returns the numbers of the node's outputs that its graph {@linkplain #inRun in a run} has: those that are read. */
    public static List<Integer> outputsInRun(Node node) {
        return LoneNode.readOutputs(node);
    }

    private static void lower(Node node, Lowering lowering) {
        try {
            var composer = new Composer(node);
            lowering.write(composer);
            composer.replace();
        } catch (ShapeNeeded needed) {
            throw EngineException.notImplemented(String.valueOf(needed.getMessage()));
        }
    }

    /** Whether a node can be lowered only when a run knows the shapes of its inputs. */
    private static boolean waits(Node node, Lowering lowering) {
        return !hasShapes(node) && node.captured().isEmpty() && Trial.of(node, lowering).lacks;
    }

    /**
     * The trial of a lowering on a copy of a node.
     *
     * @param asks whether it asks for ranks, extents or element types of inputs
     * @param lacks whether one of them is not known
     */
    private record Trial(boolean asks, boolean lacks) {
        static Trial of(Node node, Lowering lowering) {
            Graph alone = LoneNode.of(node, LoneNode.declared(node));
            var composer = new Composer(Objects.requireNonNull(alone.firstNode()));
            try {
                lowering.write(composer);
            } catch (ShapeNeeded _) {
                return new Trial(true, true);
            } catch (EngineException _) {
                // it is refused in its place
            }
            return new Trial(composer.asks(), false);
        }
    }

    private static boolean hasShapes(Node node) {
        return node.inputs().stream()
                .filter(Objects::nonNull)
                .allMatch(input -> input.type() instanceof ValueType.TensorType type && type.concreteShape() != null);
    }

    private static @Nullable Lowering lowering(Node node) {
        Lowering definition = DefinitionLowering.of(node);
        return definition != null ? definition : written(node);
    }

    /**
     * Returns a lowering that is written in Java because a formula of the operator table cannot express it; null
     * without one.
     */
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
