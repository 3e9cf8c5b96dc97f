package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import org.jspecify.annotations.Nullable;

/**
 * The rotation of pairs of elements of a row by angles that depend on its position, whose cosines and sines are inputs
 * (rotary position embedding, RoPE).
 *
 * @param half the number of pairs that are rotated
 * @param available the number of positions
 * @param positionsInput the input with the position of each row of the batch, used where {@code positions} is not null
 */
record RotaryRows(
        String node,
        int cosInput,
        ElementType type,
        int half,
        long available,
        boolean interleaved,
        int positionsInput,
        @Nullable ElementType positions) {
    private static final int COS = 7;
    private static final int POSITIONS = 9;

    /** Returns the rotation of GroupQueryAttention. */
    static RotaryRows ofGroups(BindContext context, boolean interleaved, int size) {
        Shape shape = context.inputShape(COS);
        int half = ArrayExtents.toInt("pairs that are turned", shape.dimAt(-1));
        if (shape.rank() != 2 || 2 * half > size) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": cosines of shape " + shape + " for rows of " + size + " elements");
        }
        ElementType positions = context.hasInput(POSITIONS) ? context.inputType(POSITIONS) : null;
        return new RotaryRows(
                context.node().describe(),
                COS,
                context.inputType(COS),
                half,
                shape.dim(0),
                interleaved,
                POSITIONS,
                positions);
    }

    /**
     * Rotates a row.
     *
     * @param row the number of the row in the batch, which selects its position
     * @param usual the position where none is given
     */
    void turn(LaunchContext launch, long row, long usual, float[] elements, int at) {
        long position = positions == null ? usual : Elements.getLong(positions, launch.input(positionsInput), row);
        if (position < 0 || position >= available) {
            throw EngineException.invalidArgument(
                    node + ": position " + position + " is outside a cache of " + available + " positions");
        }
        for (int i = 0; i < half; i++) {
            float cos = (float) Elements.getDouble(type, launch.input(cosInput), position * half + i);
            float sin = (float) Elements.getDouble(type, launch.input(cosInput + 1), position * half + i);
            int first = at + (interleaved ? 2 * i : i);
            int second = interleaved ? first + 1 : first + half;
            float x = elements[first];
            float y = elements[second];
            elements[first] = x * cos - y * sin;
            elements[second] = x * sin + y * cos;
        }
    }
}
