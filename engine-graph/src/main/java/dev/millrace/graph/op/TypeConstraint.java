package dev.millrace.graph.op;

import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The types that a variable of a schema may stand for.
 *
 * @param tensors the element types where it is a tensor
 * @param others types that are no tensors, in the form {@code seq(float)}, {@code map(int64,string)}
 */
public record TypeConstraint(String variable, Set<ElementType> tensors, Set<String> others) {
    public TypeConstraint {
        var elements = EnumSet.noneOf(ElementType.class);
        elements.addAll(tensors);
        tensors = Collections.unmodifiableSet(elements);
        others = Collections.unmodifiableSet(new LinkedHashSet<>(others));
    }

    /** Whether {@code type} is allowed, as far as it is known. */
    public boolean allows(ValueType type) {
        if (type instanceof ValueType.TensorType tensor) {
            return tensor.element() == null ? !tensors.isEmpty() : tensors.contains(tensor.element());
        }
        String text = text(type);
        return text == null || others.contains(text);
    }

    /** The form that {@link #others} has; null where a part of it is not known. */
    static @Nullable String text(ValueType type) {
        if (type instanceof ValueType.TensorType tensor) {
            return tensor.element() == null ? null : tensor.element().onnxName();
        }
        if (type instanceof ValueType.SequenceType sequence) {
            return around("seq(", sequence.element());
        }
        if (type instanceof ValueType.OptionalType optional) {
            return around("optional(", optional.element());
        }
        if (type instanceof ValueType.MapType map) {
            return around("map(" + map.key() + ",", map.value());
        }
        return type instanceof ValueType.SparseType sparse && sparse.element() != null
                ? "sparse(" + sparse.element() + ")"
                : null;
    }

    private static @Nullable String around(String head, ValueType inner) {
        String text = text(inner);
        return text == null ? null : head + text + ")";
    }

    /** All that is allowed, as errors show it. */
    public String describe() {
        var text = new StringJoiner(", ");
        tensors.forEach(element -> text.add(element.onnxName()));
        others.forEach(text::add);
        return text.toString();
    }
}
