package dev.millrace.graph.ir;

/** What a file calls a tensor inside of an attribute, where it has a name, and what it says of it. */
public record TensorNotes(String name, Remarks remarks) {
    /** Nothing is said. */
    public static final TensorNotes NONE = new TensorNotes("", Remarks.NONE);

    public boolean isEmpty() {
        return name.isEmpty() && remarks.isEmpty();
    }
}
