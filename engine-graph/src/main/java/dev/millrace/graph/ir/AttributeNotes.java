package dev.millrace.graph.ir;

import java.util.List;

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
        tensors =
                tensors.isEmpty() || tensors.stream().allMatch(TensorNotes::isEmpty) ? List.of() : List.copyOf(tensors);
        types = types.isEmpty() || types.stream().allMatch(Denotations::isEmpty) ? List.of() : List.copyOf(types);
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
