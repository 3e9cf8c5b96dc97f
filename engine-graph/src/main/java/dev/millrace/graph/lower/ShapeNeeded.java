package dev.millrace.graph.lower;

/** Thrown where a lowering needs a rank, an extent or an element type that is not known before a run. */
final class ShapeNeeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ShapeNeeded(String message) {
        super(message, null, false, false);
    }
}
