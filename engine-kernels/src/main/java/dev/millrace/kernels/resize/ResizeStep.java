package dev.millrace.kernels.resize;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;

/**
 * One axis of a plan with its table.
 *
 * @param outer how many times the axis is there in a row of a band; 1 if it goes over these rows
 * @param inner elements between its neighbours
 * @param taps what results are made of
 * @param table for {@link BlendRows}, for {@link BlendElements} or, for nearest elements, of numbers
 */
record ResizeStep(ResizeAxis axis, Rows rows, long outer, long inner, Taps taps, MemorySegment table) {
    /** How a step stands to the rows that bands are made of. */
    enum Rows {
        /** It goes over each row of the data. */
        OF_DATA,
        /** It makes rows of results of rows of the data. */
        BECOME_RESULTS,
        /** It goes over each row of the results. */
        OF_RESULTS
    }

    static ResizeStep of(
            ResizeRule rule,
            ResizeAxis axis,
            Rows rows,
            long outer,
            long inner,
            Target target,
            SegmentAllocator tables) {
        Taps taps = Taps.of(rule, axis);
        if (rule.mode() == ResizeRule.Mode.NEAREST) {
            return new ResizeStep(axis, rows, outer, inner, taps, numbers(taps, tables));
        }
        MemorySegment table = inner == 1 ? ofVectors(taps, axis.to(), target.lanes(), tables) : ofRows(taps, tables);
        return new ResizeStep(axis, rows, outer, inner, taps, table);
    }

    /** How many times the axis is there in a band. */
    long outer(Band band) {
        return switch (rows) {
            case OF_DATA -> outer * band.sources();
            case BECOME_RESULTS -> outer;
            case OF_RESULTS -> outer * band.results();
        };
    }

    /** How many elements a band has behind this step. */
    long results(Band band) {
        return outer(band) * inner * (rows == Rows.BECOME_RESULTS ? band.results() : axis.to());
    }

    /** What the table has for each result, of those that are for rows. */
    long entryBytes() {
        return table.byteSize() / axis.to();
    }

    private static MemorySegment numbers(Taps taps, SegmentAllocator tables) {
        int count = taps.elements().length;
        MemorySegment table = tables.allocate(4L * count, 64);
        for (int i = 0; i < count; i++) {
            table.setAtIndex(ValueLayout.JAVA_INT, i, taps.elements()[i]);
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
        MemorySegment table =
                tables.allocate(8L * lanes * vectors * taps.count(), 64).fill((byte) 0);
        for (int result = 0; result < results; result++) {
            for (int tap = 0; tap < taps.count(); tap++) {
                long vector = 2L * lanes * ((long) result / lanes * taps.count() + tap);
                long at = vector + result % lanes;
                table.setAtIndex(ValueLayout.JAVA_INT, at, taps.elements()[result * taps.count() + tap]);
                table.setAtIndex(ValueLayout.JAVA_FLOAT, at + lanes, taps.weights()[result * taps.count() + tap]);
            }
        }
        return table;
    }
}
