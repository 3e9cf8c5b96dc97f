package dev.millrace.graph.infer;

import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** What is known of one node's inputs. */
public interface Facts {
    /** The type of input {@code input}; null where it is omitted or unknown. */
    @Nullable ValueType type(int input);

    /** The content of input {@code input}, where it is known now. */
    @Nullable Tensor value(int input);
}
