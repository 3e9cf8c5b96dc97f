package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** Counts the constants of a graph and of its nested graphs, and lists the weights among them that stay, with the reasons. */
final class Leftovers {
    private Leftovers() {}

    /** Returns the bytes of all constants, a shared one once. */
    static long bytes(Graph main) {
        Set<Tensor> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        var sum = new long[1];
        forEach(main, (_, tensor) -> {
            if (tensor.type() != ElementType.STRING && seen.add(tensor)) {
                sum[0] += tensor.segment().byteSize();
            }
        });
        return sum[0];
    }

    /** Lists the floats of at least two dimensions except {@code made}, the largest first. */
    static List<QuantizeReport.Kept> list(Graph main, Map<Value, String> reasons, Set<Value> made) {
        var kept = new ArrayList<QuantizeReport.Kept>();
        forEach(main, (value, tensor) -> {
            if (tensor.type().isFloating() && tensor.shape().rank() >= 2 && value.isUsed() && !made.contains(value)) {
                String reason = value.isConstant()
                        ? reasons.getOrDefault(value, readers(value))
                        : "it is an input with a default, which callers may override";
                kept.add(new QuantizeReport.Kept(
                        value.name(),
                        tensor.shape(),
                        tensor.type(),
                        tensor.segment().byteSize(),
                        reason));
            }
        });
        kept.sort(Comparator.comparingLong(QuantizeReport.Kept::bytes)
                .reversed()
                .thenComparing(QuantizeReport.Kept::name));
        return kept;
    }

    private static String readers(Value value) {
        String operators = value.users().stream()
                .map(user -> user.op().toString())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        String hint = operators.contains(OpName.GATHER) ? ", and embeddings are not quantised" : "";
        return operators.isEmpty() ? "it is an output of a graph" : operators + " reads it" + hint;
    }

    private static void forEach(Graph graph, BiConsumer<Value, Tensor> action) {
        for (Value input : graph.inputs()) {
            Tensor otherwise = graph.defaultOf(input);
            if (otherwise != null) {
                action.accept(input, otherwise);
            }
        }
        for (Value value : graph.constants()) {
            Tensor tensor = value.constant();
            if (tensor != null) {
                action.accept(value, tensor);
            }
        }
        for (Node node : graph.nodes()) {
            node.attributes().graphs().forEach(nested -> forEach(nested, action));
        }
    }
}
