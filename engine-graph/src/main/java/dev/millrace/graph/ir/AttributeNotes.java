package dev.millrace.graph.ir;

import java.util.List;
import java.util.function.Predicate;

/**
 * What a file says of an attribute beside its value.
 *
 * @param tensors what it says of each tensor in it, of a sparse one's values and then its indices; empty where of none
 * @param types what it says that each type in it stands for; empty where of none
 */
public record AttributeNotes(DocString documentation, List<TensorNotes> tensors, List<Denotations> types) {
    /** Nothing is said. */
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

    /** What is said of one of the tensors. */
    public TensorNotes tensor(int index) {
        return index < tensors.size() ? tensors.get(index) : TensorNotes.NONE;
    }

    /** What is said of one of the types. */
    public Denotations type(int index) {
        return index < types.size() ? types.get(index) : Denotations.NONE;
    }
}
