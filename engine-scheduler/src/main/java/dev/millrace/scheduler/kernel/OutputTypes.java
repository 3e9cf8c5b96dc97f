package dev.millrace.scheduler.kernel;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
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

    /**
     * Throws (EP_FAIL) where a kernel's types contradict those that are known of the outputs.
     *
     * @param types what the kernel returned, which is a list unless its author made a mistake
     */
    public static void check(Node node, String provider, @Nullable List<@Nullable ValueType> types) {
        if (types == null) {
            throw wrong(provider, "returns no types of outputs");
        }
        for (int i = 0; i < Math.min(types.size(), node.outputs().size()); i++) {
            Value output = node.output(i);
            ValueType known = output == null ? null : output.type();
            ValueType actual = types.get(i);
            if (known != null && actual != null && known.meet(actual) == null) {
                throw wrong(provider, "makes output " + i + " of type " + actual + ", and it is of type " + known);
            }
        }
    }

    private static EngineException wrong(String provider, String what) {
        return new EngineException(Status.EP_FAIL, "the kernel of provider '" + provider + "' " + what);
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
