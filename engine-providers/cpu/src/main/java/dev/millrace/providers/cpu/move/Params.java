package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import org.jspecify.annotations.Nullable;

/** Small parameters that newer opsets give as inputs and older ones as attributes. */
public final class Params {
    private Params() {}

    /** The integers of an input, or null where it is omitted. */
    public static long @Nullable [] longs(BindContext context, int input) {
        return context.hasInput(input) ? context.requireValue(input).longs() : null;
    }

    /** The integers of an input, or else of an attribute, or null. */
    public static long @Nullable [] longs(BindContext context, int input, String attribute) {
        long[] extents = longs(context, input);
        return extents == null ? context.node().attributes().integers(attribute) : extents;
    }

    public static long[] require(BindContext context, int input, String attribute) {
        long[] extents = longs(context, input, attribute);
        if (extents == null) {
            throw EngineException.invalidGraph(context.node().describe() + ": '" + attribute
                    + "' is given neither as input " + input + " nor as an attribute");
        }
        return extents;
    }

    /** Axes counted from the front; all of them, in order, where none are given. */
    public static int[] axes(long @Nullable [] axes, int rank) {
        int[] result = new int[axes == null ? rank : axes.length];
        for (int i = 0; i < result.length; i++) {
            result[i] = axes == null ? i : Shape.axis(axes[i], rank);
        }
        return result;
    }

    public static EngineException outside(Node node, long index, long extent) {
        return EngineException.invalidArgument(
                node.describe() + ": index " + index + " is outside [-" + extent + ", " + extent + ")");
    }
}
