package dev.millrace.graph.ir;

import java.util.List;
import java.util.function.Predicate;

/**
 * The documentation and other notes that a file holds for an attribute beside its value.
 *
 * @param tensors the notes of each tensor in it, for a sparse one those of its values and then of its indices; empty
 *     where no tensor has any
 * @param types the denotations of each type in it; empty where no type has any
 */
public record AttributeNotes(DocString documentation, List<TensorNotes> tensors, List<Denotations> types) {
    /** No notes. */
    public static final AttributeNotes NONE = new AttributeNotes(DocString.NONE, List.of(), List.of());

    public AttributeNotes {
        tensors = unlessEmpty(tensors, TensorNotes::isEmpty);
        types = unlessEmpty(types, Denotations::isEmpty);
    }

    private static <T> List<T> unlessEmpty(List<T> notes, Predicate<T> isEmpty) {
        for (T note : notes) {
            if (!isEmpty.test(note)) {
                return List.copyOf(notes);
            }
        }
        return List.of();
    }

    public boolean isEmpty() {
        return documentation.isEmpty() && tensors.isEmpty() && types.isEmpty();
    }

    /** The notes of the tensor at {@code index}. */
    public TensorNotes tensor(int index) {
        return index < tensors.size() ? tensors.get(index) : TensorNotes.NONE;
    }

    /** The denotations of the type at {@code index}. */
    public Denotations type(int index) {
        return index < types.size() ? types.get(index) : Denotations.NONE;
    }
}
