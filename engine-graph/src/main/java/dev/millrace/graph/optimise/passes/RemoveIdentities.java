package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node that hands its input on unchanged, whatever is in it, is passed by. */
final class RemoveIdentities {
    private static final Predicate<Node> ALONE = node -> node.inputs().size() == 1;

    private static final Map<String, Predicate<Node>> HANDS_ON = Map.of(
            OpName.IDENTITY,
            node -> true,
            OpName.DROPOUT,
            Effects::isInference,
            OpName.CAST,
            RemoveIdentities::castsToSame,
            OpName.CAST_LIKE,
            node -> GraphPatterns.sameElements(node.input(0), node.input(1)),
            OpName.TRANSPOSE,
            RemoveIdentities::keepsOrder,
            OpName.CONCAT,
            ALONE,
            "Sum",
            ALONE,
            "Mean",
            ALONE,
            OpName.MAX,
            ALONE,
            OpName.MIN,
            ALONE);

    static final Set<String> OPERATORS = HANDS_ON.keySet();

    private RemoveIdentities() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Predicate<Node> handsOn = HANDS_ON.get(node.op().name());
        return handsOn != null && handsOn.test(node) ? passBy(node, context) : null;
    }

    /** Lets the readers of the first output read the first input; null where they may not, or another output is read. */
    static @Nullable Patch passBy(Node node, PassContext context) {
        Value input = node.input(0);
        Value output = node.output(0);
        if (input == null || output == null || !output.isUsed() || !GraphPatterns.canStandFor(output, input)) {
            return null;
        }
        for (Value other : node.outputs()) {
            if (other != null && other != output && other.isUsed()) {
                return null;
            }
        }
        return context.patch(node, node.op() + " changes nothing")
                .redirect(output, input)
                .build();
    }

    private static boolean castsToSame(Node cast) {
        Value input = cast.input(0);
        ElementType type = input == null ? null : input.elementType();
        return type != null
                && cast.opset() >= 6
                && type == ElementType.ofCode((int) cast.attributes().integer("to", 0));
    }

    private static boolean keepsOrder(Node transpose) {
        int[] perm = Axes.permutation(transpose);
        return perm != null && Axes.isIdentity(perm);
    }
}
