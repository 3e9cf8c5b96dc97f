package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A node that is run once, while a partition is bound, when one of its results is first asked for. */
final class Folding {
    private final Node node;
    private final Kernel kernel;
    private final Function<Value, @Nullable Tensor> contents;
    private @Nullable List<@Nullable Datum> results;

    private Folding(Node node, Kernel kernel, Function<Value, @Nullable Tensor> contents) {
        this.node = node;
        this.kernel = kernel;
        this.contents = contents;
    }

    /**
     * @param contents of the inputs, which are known by the time that a result is asked for
     * @return null where the node has to be done in a run
     */
    static @Nullable Folding of(Node node, CompileEnvironment environment, Function<Value, @Nullable Tensor> contents) {
        return environment.fallback(node) instanceof ShapedKernel kernel && kernel.isPure()
                ? new Folding(node, (Kernel) kernel, contents)
                : null;
    }

    Tensor result(int output) {
        return (Tensor) Objects.requireNonNull(results().get(output));
    }

    private List<@Nullable Datum> results() {
        if (results == null) {
            var operands = new ArrayList<@Nullable Datum>();
            for (Value input : node.inputs()) {
                operands.add(input == null ? null : contents.apply(input));
            }
            results = DirectRun.run(kernel, node, operands);
        }
        return results;
    }
}
