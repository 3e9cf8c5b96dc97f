package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A node that could change a shape, but leaves this one and all that is in it as they are. */
final class RemoveUnchangedShapes {
    private static final Predicate<Node> SAME_SHAPE = node -> GraphPatterns.sameShape(node.input(0), node.output(0));

    private static final Map<String, Predicate<Node>> UNCHANGED = Map.of(
            OpName.RESHAPE, SAME_SHAPE,
            OpName.FLATTEN, SAME_SHAPE,
            OpName.SQUEEZE, SAME_SHAPE,
            OpName.UNSQUEEZE, SAME_SHAPE,
            OpName.EXPAND, SAME_SHAPE,
            OpName.TILE, SAME_SHAPE,
            OpName.SLICE, SAME_SHAPE.and(RemoveUnchangedShapes::runsForwards),
            OpName.PAD, RemoveUnchangedShapes::padsNothing);

    static final Set<String> OPERATORS = UNCHANGED.keySet();

    private RemoveUnchangedShapes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Predicate<Node> unchanged = UNCHANGED.get(node.op().name());
        return unchanged != null && unchanged.test(node) ? RemoveIdentities.passBy(node, context) : null;
    }

    private static boolean runsForwards(Node slice) {
        Value steps = slice.input(4);
        long[] known = Constants.longs(steps);
        return steps == null || known != null && Arrays.stream(known).allMatch(step -> step > 0);
    }

    private static boolean padsNothing(Node pad) {
        String attribute = pad.opset() < 2 ? "paddings" : "pads";
        long[] pads = pad.opset() < 11 ? pad.attributes().integers(attribute) : Constants.longs(pad.input(1));
        return pads != null && Arrays.stream(pads).allMatch(amount -> amount == 0);
    }
}
