package dev.millrace.graph.ir;

/** The name of a tensor inside of an attribute, empty where it has none, and the remarks on it. */
public record TensorNotes(String name, Remarks remarks) {
    /** No name and no remarks. */
    public static final TensorNotes NONE = new TensorNotes("", Remarks.NONE);

    public boolean isEmpty() {
        return name.isEmpty() && remarks.isEmpty();
    }
}
