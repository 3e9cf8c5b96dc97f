package dev.millrace.kernels.resize;

import dev.millrace.kernels.program.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * One axis of a plan with its table.
 *
 * @param outer how many times the axis is there in a plane
 * @param inner elements between its neighbours
 * @param taps for each result
 * @param times how many times in a row each element is there, or 0
 * @param table for {@link BlendRows}, for {@link BlendElements} or, for nearest elements, of numbers
 */
record ResizeStep(ResizeAxis axis, long outer, long inner, int taps, int times, MemorySegment table) {
    static ResizeStep of(
            ResizeRule rule, ResizeAxis axis, long outer, long inner, Target target, SegmentAllocator tables) {
        if (rule.mode() == ResizeRule.Mode.NEAREST) {
            return new ResizeStep(axis, outer, inner, 1, times(rule, axis), numbers(rule, axis, tables));
        }
        Taps taps = Taps.of(rule, axis);
        MemorySegment table = inner == 1 ? ofVectors(taps, axis.to(), target.lanes(), tables) : ofRows(taps, tables);
        return new ResizeStep(axis, outer, inner, taps.count(), 0, table);
    }

    /** How many times in a row each element of an axis is there where all are there as often, else 0. */
    private static int times(ResizeRule rule, ResizeAxis axis) {
        if (rule.mode() != ResizeRule.Mode.NEAREST || axis.to() % axis.from() != 0) {
            return 0;
        }
        int times = axis.to() / axis.from();
        for (int i = 0; i < axis.to(); i++) {
            if (axis.nearest(rule, i) != i / times) {
                return 0;
            }
        }
        return times;
    }

    long resultsOfPlane() {
        return outer * axis.to() * inner;
    }

    private static MemorySegment numbers(ResizeRule rule, ResizeAxis axis, SegmentAllocator tables) {
        MemorySegment table = tables.allocate(4L * axis.to(), 64);
        for (int i = 0; i < axis.to(); i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, i, axis.nearest(rule, i));
        }
        return table;
    }

    private static MemorySegment ofRows(Taps taps, SegmentAllocator tables) {
        int count = taps.elements().length;
        MemorySegment table = tables.allocate((long) BlendRows.TAP_BYTES * count, 64);
        for (int i = 0; i < count; i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, 2L * i, taps.elements()[i]);
            table.setAtIndex(ValueLayout.JAVA_FLOAT, 2L * i + 1, taps.weights()[i]);
        }
        return table;
    }

    private static MemorySegment ofVectors(Taps taps, int results, int lanes, SegmentAllocator tables) {
        int vectors = (results + lanes - 1) / lanes;
        MemorySegment table = tables.allocate(8L * lanes * vectors * taps.count(), 64);
        for (int result = 0; result < results; result++) {
            for (int tap = 0; tap < taps.count(); tap++) {
                long vector = 2L * lanes * (result / lanes * taps.count() + tap);
                long at = vector + result % lanes;
                table.setAtIndex(ValueLayout.JAVA_INT, at, taps.elements()[result * taps.count() + tap]);
                table.setAtIndex(ValueLayout.JAVA_FLOAT, at + lanes, taps.weights()[result * taps.count() + tap]);
            }
        }
        return table;
    }
}
