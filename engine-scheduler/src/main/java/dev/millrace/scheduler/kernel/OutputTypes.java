package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Questions about the types of a node's outputs, of which the omitted ones do not count. */
public final class OutputTypes {
    /** The most bytes of results that are computed while binding: shape arithmetic and small tables, no bulk data. */
    public static final long MOST_FOLDED_BYTES = 1 << 20;

    private OutputTypes() {}

    /** Whether element types and shapes of all outputs are known. */
    public static boolean areConcrete(Node node, List<@Nullable ValueType> types) {
        for (int i = 0; i < node.outputs().size(); i++) {
            if (node.output(i) != null && (i >= types.size() || !isConcrete(types.get(i)))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isConcrete(@Nullable ValueType type) {
        return type instanceof ValueType.TensorType tensor
                && tensor.element() != null
                && tensor.concreteShape() != null;
    }

    /** The bytes of all outputs, whose types are concrete. */
    public static long bytes(Node node, List<@Nullable ValueType> types) {
        long bytes = 0;
        for (int i = 0; i < node.outputs().size(); i++) {
            if (node.output(i) != null) {
                bytes += element(types.get(i)).bytes(shape(types.get(i)).elements());
            }
        }
        return bytes;
    }

    /** The element type of a concrete type. */
    public static ElementType element(@Nullable ValueType type) {
        if (type instanceof ValueType.TensorType tensor && tensor.element() != null) {
            return tensor.element();
        }
        throw new IllegalStateException("a value has no element type");
    }

    /** The shape of a concrete type. */
    public static Shape shape(@Nullable ValueType type) {
        if (type instanceof ValueType.TensorType tensor) {
            Shape shape = tensor.concreteShape();
            if (shape != null) {
                return shape;
            }
        }
        throw new IllegalStateException("a value has no shape");
    }
}
