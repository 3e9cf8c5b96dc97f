package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The known types and contents of one node's inputs, and inference of the graphs nested in the node. */
public interface NodeFacts {
    /** The type of input {@code input}; null where it is omitted or unknown. */
    @Nullable
    ValueType type(int input);

    /** The content of input {@code input}; null where it is not known yet. */
    @Nullable
    Tensor value(int input);

    /** The integers of input {@code input} that are extents, such as the content of a Shape's output; null if unknown. */
    @Nullable
    KnownContent content(int input);

    /** Infers {@code body} whose inputs are {@code inputTypes}; returns the types of its outputs. */
    List<@Nullable ValueType> body(Graph body, List<@Nullable ValueType> inputTypes, int depth);
}
