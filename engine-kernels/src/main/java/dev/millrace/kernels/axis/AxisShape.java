package dev.millrace.kernels.axis;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * Dense data seen along one axis.
 *
 * @param outer how many times the axis is there
 * @param count elements along the axis
 * @param inner elements between its neighbours
 */
public record AxisShape(long outer, long count, long inner) {
    private static final long MAX_COUNT = 1 << 30;

    public AxisShape {
        if (outer < 0 || count < 0 || count > MAX_COUNT || inner < 0 || inner > MAX_COUNT) {
            throw new IllegalArgumentException(
                    "an axis of " + count + " elements is there " + outer + " by " + inner + " times");
        }
    }

    /** The last axis of some rows. */
    public static AxisShape rows(long rows, long count) {
        return new AxisShape(rows, count, 1);
    }

    long elements() {
        return Math.multiplyExact(Math.multiplyExact(outer, count), inner);
    }

    /** How many lines of elements there are along the axis. */
    long lines() {
        return Math.multiplyExact(outer, inner);
    }

    void check(String name, MemorySegment segment) {
        CallChecks.vector(name, segment, elements());
    }
}
