package dev.millrace.graph.ir;

import java.util.List;

/**
 * What a file says of an attribute beside its value.
 *
 * @param tensors what it says of each tensor in it, of a sparse one's values and then its indices; empty where of none
 */
public record AttributeNotes(DocString documentation, List<Remarks> tensors) {
    /** Nothing is said. */
    public static final AttributeNotes NONE = new AttributeNotes(DocString.NONE, List.of());

    public AttributeNotes {
        tensors = tensors.stream().allMatch(Remarks::isEmpty) ? List.of() : List.copyOf(tensors);
    }

    public boolean isEmpty() {
        return documentation.isEmpty() && tensors.isEmpty();
    }

    /** What is said of one of the tensors. */
    public Remarks tensor(int index) {
        return index < tensors.size() ? tensors.get(index) : Remarks.NONE;
    }
}
