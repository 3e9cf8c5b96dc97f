package dev.millrace.providers.cpu.recurrent;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;

/** The extents of a recurrent network, and where its elements lie in either layout. */
record RecurrentShape(
        int steps, int batch, int inputs, int units, int directions, boolean batchFirst, boolean reverseOnly) {

    static RecurrentShape of(Shape x, Shape weights, int units, boolean batchFirst, boolean reverseOnly) {
        return new RecurrentShape(
                ArrayExtents.toInt("steps", x.dim(batchFirst ? 1 : 0)),
                ArrayExtents.toInt("sequences", x.dim(batchFirst ? 0 : 1)),
                ArrayExtents.toInt("elements of a step", x.dim(2)),
                units,
                ArrayExtents.toInt("directions", weights.dim(0)),
                batchFirst,
                reverseOnly);
    }

    boolean isBackward(int direction) {
        return reverseOnly || direction == 1;
    }

    long x(long step, long b) {
        return (batchFirst ? b * steps + step : step * batch + b) * inputs;
    }

    long y(long step, long direction, long b) {
        return (batchFirst ? (b * steps + step) * directions + direction : (step * directions + direction) * batch + b)
                * units;
    }

    long state(long direction, long b) {
        return (batchFirst ? b * directions + direction : direction * batch + b) * units;
    }
}
