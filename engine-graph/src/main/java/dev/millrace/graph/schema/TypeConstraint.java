package dev.millrace.graph.schema;

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
        return switch (type) {
            case ValueType.TensorType tensor ->
                tensor.element() == null ? null : tensor.element().onnxName();
            case ValueType.SparseType sparse -> sparse.element() == null ? null : "sparse(" + sparse.element() + ")";
            case ValueType.SequenceType sequence -> around("seq(", sequence.element());
            case ValueType.OptionalType optional -> around("optional(", optional.element());
            case ValueType.MapType map -> around("map(" + map.key() + ",", map.value());
        };
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
