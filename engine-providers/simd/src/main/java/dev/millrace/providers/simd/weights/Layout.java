package dev.millrace.providers.simd.weights;

/**
 * How weights lie in packed memory.
 *
 * @param name says all that the order of the packed bytes depends on but the weights themselves
 * @param forAllShapes whether programs for all shapes read these weights in this layout and in no other form
 */
public record Layout(String name, long bytes, boolean forAllShapes) {
    public static Layout of(String name, long bytes) {
        return new Layout(name, bytes, false);
    }

    /** A layout that what follows the weights, and what shapes the inputs have, does not matter to. */
    public static Layout forAllShapes(String name, long bytes) {
        return new Layout(name, bytes, true);
    }
}
