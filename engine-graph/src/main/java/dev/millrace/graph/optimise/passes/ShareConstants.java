package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;

/** Constants of one graph that hold the same become one. */
final class ShareConstants {
    /** Larger constants are shared only where they are the same tensor: comparing them costs more than it brings. */
    private static final long LIMIT_BYTES = 64 << 10;

    private ShareConstants() {}

    static Iterator<Patch> over(Graph graph, PassContext context) {
        Map<Object, Value> known = new HashMap<>();
        return Sweep.over(new ArrayList<>(graph.constants()), value -> {
            Tensor tensor = value.constant();
            if (tensor == null || !value.isUsed()) {
                return null;
            }
            boolean small = tensor.type().bytes(tensor.elements()) <= LIMIT_BYTES;
            Value first = known.putIfAbsent(small ? new TensorKey(tensor) : tensor, value);
            return first == null
                    ? null
                    : context.patch(graph, "a constant that is there already")
                            .redirect(value, first)
                            .build();
        });
    }
}
