package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** The known types and contents of one node's inputs. */
public interface Facts {
    /** Returns what the graph itself says of a node's inputs: their types and constants. */
    static Facts ofGraph(Node node) {
        return new Facts() {
            @Override
            public @Nullable ValueType type(int input) {
                Value value = node.input(input);
                return value == null ? null : value.type();
            }

            @Override
            public @Nullable Tensor value(int input) {
                Value value = node.input(input);
                return value == null ? null : value.constant();
            }
        };
    }

    /** The type of input {@code input}; null where it is omitted or unknown. */
    @Nullable
    ValueType type(int input);

    /** The content of input {@code input}; null where it is not known yet. */
    @Nullable
    Tensor value(int input);

    /** The type of a value of an enclosing graph that a graph nested in the node reads. */
    default @Nullable ValueType type(Value captured) {
        return captured.type();
    }

    /**
     * The content of a value of an enclosing graph that a graph nested in the node reads; null where it is not known
     * yet.
     */
    default @Nullable Tensor value(Value captured) {
        return captured.constant();
    }
}
