package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Plausible contents of one-element inputs, for preparation ahead of a run: the number that a model compares an input
 * with, and false or true for a boolean switch.
 */
public final class NominalContents {
    private static final Set<String> COMPARISONS =
            Set.of(OpName.EQUAL, OpName.LESS, OpName.LESS_OR_EQUAL, OpName.GREATER, OpName.GREATER_OR_EQUAL);
    private static final Set<String> SAME_NUMBER =
            Set.of(OpName.IDENTITY, OpName.CAST, OpName.RESHAPE, OpName.SQUEEZE, OpName.UNSQUEEZE, OpName.FLATTEN);

    private NominalContents() {}

    /**
     * Returns contents by the index of the input, for the inputs that have plausible ones: once with all switches off,
     * and again with all on where there are switches. Empty where no input has any.
     */
    public static List<Map<Integer, Tensor>> of(Graph graph, List<Shape> shapes) {
        Map<Integer, Tensor> off = of(graph, shapes, false);
        if (off.isEmpty()) {
            return List.of();
        }
        boolean switches = off.values().stream().anyMatch(content -> content.type() == ElementType.BOOL);
        return switches ? List.of(off, of(graph, shapes, true)) : List.of(off);
    }

    private static Map<Integer, Tensor> of(Graph graph, List<Shape> shapes, boolean on) {
        var contents = new HashMap<Integer, Tensor>();
        for (int i = 0; i < shapes.size(); i++) {
            Value input = graph.inputs().get(i);
            if (shapes.get(i).elements() != 1) {
                continue;
            }
            if (input.elementType() == ElementType.BOOL) {
                contents.put(i, Tensor.scalar(on).reshaped(shapes.get(i)));
            } else if (input.elementType() == ElementType.INT64) {
                Tensor other = comparedWith(input);
                if (other != null) {
                    contents.put(i, Tensor.copyOf(other).reshaped(shapes.get(i)));
                }
            }
        }
        return contents;
    }

    private static @Nullable Tensor comparedWith(Value value) {
        for (Node user : value.users()) {
            if (SAME_NUMBER.contains(user.op().name()) && user.input(0) == value) {
                Tensor other = comparedWith(user.requireOutput(0));
                if (other != null && other.type() == ElementType.INT64) {
                    return other;
                }
            } else if (COMPARISONS.contains(user.op().name())) {
                Value other = user.input(user.input(0) == value ? 1 : 0);
                Tensor constant = other == null ? null : other.constant();
                if (constant != null && constant.shape().elements() == 1) {
                    return constant;
                }
            }
        }
        return null;
    }
}
