package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What is known of one node's inputs. */
public interface Facts {
    /** The type of input {@code input}; null where it is omitted or unknown. */
    @Nullable
    ValueType type(int input);

    /** The content of input {@code input}, where it is known now. */
    @Nullable
    Tensor value(int input);

    /** The type of a value that a graph nested in the node reads from around it. */
    default @Nullable ValueType type(Value captured) {
        return captured.type();
    }

    /** The content of a value that a graph nested in the node reads from around it, where it is known now. */
    default @Nullable Tensor value(Value captured) {
        return captured.constant();
    }
}
